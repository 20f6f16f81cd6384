"""`knobeln serve`: the mail gateway.

Loops in threads, each woken when there is work and otherwise looking twice a second, because other
processes (`receive`, `run`) put work into the same database:

    listener   SMTP or LMTP -> table of letters (committed before the 250)
    imap       a mailbox elsewhere -> table of letters (committed before they are moved there)
    pickup     a Maildir -> table of letters (the same)
    desk       letters -> teams, queued programs, answers
    compiler   queued programs -> builds and reports
    delivery   outbox -> the relay or the Maildirs
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from threading import Event, Thread
from types import FrameType

import click
import structlog

from knobeln.cli import ways_in
from knobeln.cli.folder import ContestCommand, ContestFolder, contest_folder
from knobeln.cli.services import Services, deliver
from knobeln.config import Dates
from knobeln.errors import KnobelnError, NotNow, TryAgain
from knobeln.model import Phase
from knobeln.store import contest as contest_store
from mailserver import windows
from mailserver.intake.accept import Arrival, accept_all, accept_found
from mailserver.intake.imap_watch import Watch
from mailserver.intake.smtp import Listener
from mailserver.transports import transport_of
from mailserver.windows import Window

IDLE_SECONDS = 0.5
PAUSE_AFTER_FAILURE = 10.0
STOP_SECONDS = 4.0

log = structlog.get_logger()


@click.command(cls=ContestCommand)
def serve() -> None:
    """Run the mail gateway until SIGTERM: take letters, compile programs, send answers and reports."""
    folder = contest_folder()
    with folder.only_one("serve") as alone:
        if not alone:
            raise NotNow(f"`knobeln serve` already runs for {folder.path}")
        gateway = Gateway(folder)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, gateway.stop_soon)
        gateway.run()


class Gateway:
    """The running server of one contest."""

    def __init__(self, folder: ContestFolder) -> None:
        self._folder = folder
        self._stop = Event()
        self._services = Services(folder)
        self._transport = transport_of(folder.settings, folder.path)
        self._loops = [
            _Loop("desk", self._services.handle_next_letter, self._wake_all, self._stop),
            _Loop("compiler", self._services.compile_next_program, self._wake_all, self._stop),
            _Loop("delivery", self._deliver, self._wake_all, self._stop),
        ]
        mail = folder.settings.mail
        self._listener = (
            Listener(folder.settings, self._accept, folder.path)
            if mail.listen_host or mail.listen_socket
            else None
        )
        if folder.settings.pickup.maildir:
            maildir = ways_in.maildir_of(folder.settings, folder.path, partial(self._accept_found, "maildir"))
            self._loops.append(_Loop("pickup", maildir.take_next, self._wake_all, self._stop))
        self._watch_imap: Watch | None = None
        if folder.settings.imap.host:
            open_mailbox = ways_in.mailbox_of(
                folder.settings, folder.path, partial(self._accept_found, "imap"), self._alarm
            )
            self._watch_imap = Watch(open_mailbox, self._alarm, self._stop)

    def stop_soon(self, _signal: int, _frame: FrameType | None) -> None:
        self._stop.set()

    def run(self) -> None:
        """Serve until stopped. What was begun and not finished goes on at the next start."""
        doors = self._doors()  # a database that does not answer now ends the start; later it is waited for
        if self._listener:
            self._listener.start()
            host = self._folder.settings.mail.listen_host
            log.info(
                "listening",
                host=host,
                port=self._listener.port,
                address=self._folder.settings.contest.address,
            )
        if self._watch_imap:
            self._watch_imap.start()
        for loop in self._loops:
            loop.start()
        while not self._stop.wait(IDLE_SECONDS):
            doors = self._watch(doors)
        log.info("stopping")
        if self._listener:
            self._listener.stop()
        threads: list[Thread] = [*self._loops, *([self._watch_imap] if self._watch_imap else [])]
        for thread in threads:
            thread.join(STOP_SECONDS / len(threads))
        log.info("stopped")

    def _accept(self, arrivals: Sequence[Arrival]) -> None:
        channel = self._folder.settings.mail.listen_protocol
        accept_all(self._folder.store, arrivals, channel, self._folder.clock.now())
        self._wake_all()

    def _accept_found(self, channel: str, raw: bytes, arrived_at: datetime) -> None:
        accept_found(self._folder.store, raw, channel, arrived_at, self._folder.clock.now())
        self._wake_all()

    def _alarm(self, text: str) -> None:
        """A line for the organizer, in the log and in `knobeln status`."""
        log.warning(text)
        with self._folder.store.write() as tx:
            contest_store.note(tx, "mail", text, self._folder.clock.now())

    def _wake_all(self) -> None:
        for loop in self._loops:
            loop.wake()

    def _deliver(self) -> bool:
        """True when something was sent, and so there may be more."""
        done = deliver(self._folder, self._transport)
        return done is not None and done.sent > 0

    def _watch(self, before: dict[str, bool]) -> dict[str, bool]:
        """The doors as they are now; what has changed is told, or still to be told where that fails."""
        try:
            after = self._doors()
            self._tell(door_changes(before, after))
            return after
        except TryAgain as error:
            log.error(str(error), loop="dates")
            self._stop.wait(PAUSE_AFTER_FAILURE)
            return before

    def _doors(self) -> dict[str, bool]:
        with self._folder.store.read() as tx:
            phase = contest_store.state(tx).phase
        return open_doors(self._folder.settings.dates, self._folder.clock.now(), phase)

    def _tell(self, changes: tuple[str, ...]) -> None:
        if not changes:
            return
        with self._folder.store.write() as tx:
            for change in changes:
                contest_store.note(tx, "dates", change, self._folder.clock.now())
        for change in changes:
            log.info(change)


class _Loop(Thread):
    """Does one piece of work after another; rests when there is none, and longer after a failure of ours."""

    def __init__(self, name: str, work: Callable[[], bool], done: Callable[[], None], stop: Event) -> None:
        """`work` does a piece and says whether there was one; `done` is called after each piece."""
        super().__init__(name=name, daemon=True)
        self._work = work
        self._done = done
        self._stop_event = stop
        self._wake = Event()

    def wake(self) -> None:
        self._wake.set()

    def run(self) -> None:
        while not self._stop_event.is_set():
            pause = self._pause()
            if pause and self._wake.wait(pause):
                self._wake.clear()

    def _pause(self) -> float:
        try:
            if not self._work():
                return IDLE_SECONDS
            self._done()
            return 0
        except KnobelnError as error:
            log.error(str(error), loop=self.name)
        except Exception:
            log.exception("unexpected", loop=self.name)
        self._wake.clear()
        self._stop_event.wait(PAUSE_AFTER_FAILURE)
        return IDLE_SECONDS


def door_changes(before: dict[str, bool], after: dict[str, bool]) -> tuple[str, ...]:
    """Sentences for the journal."""
    return tuple(
        f"{door} {'opens' if after[door] else 'closes'}" for door in before if before[door] != after[door]
    )


def open_doors(dates: Dates, now: datetime, phase: Phase) -> dict[str, bool]:
    """The services by name, and whether they are open: by their dates, and until the contest starts."""
    return {
        "registration": windows.registration(dates, phase, now) is Window.OPEN,
        "compilation": windows.compilation(dates, phase, now) is Window.OPEN,
    }
