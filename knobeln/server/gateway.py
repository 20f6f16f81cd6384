"""`knobeln serve`: the mail gateway.

Loops in threads, each woken when there is work and otherwise looking twice a second, because other
processes (`receive`, `run`) put work into the same database:

    listener   SMTP or LMTP -> table of letters (committed before the 250)
    imap       a mailbox elsewhere -> table of letters (committed before they are moved there)
    pickup     a Maildir -> table of letters (the same)
    desk       letters -> teams, queued programs, answers
    compiler   queued programs -> builds and reports
    practice   programs to be tried, friendly matches -> reports
    hill       the programs that count, against each other -> a ranking
    delivery   outbox -> the relay or the Maildirs
    run        starts `knobeln run` when the organizer has ordered that by mail
    pages      released results -> the folder of pages
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from threading import Event, Thread
from types import FrameType

import click

from contest.errors import KnobelnError, NotNow, TryAgain
from contest.log import log
from contest.store import contest_state as contest_store
from contest.store import decisions
from knobeln.cli import intake_checks
from knobeln.cli.contest_option import ContestCommand
from knobeln.context import ContestContext, contest_folder
from knobeln.server.run_on_request import OrderedRun
from knobeln.server.sd_notify import READY, STOPPING, Supervisor
from knobeln.server.services import Services, deliver
from knobeln.server.site import SiteKeeper
from mailserver.deadlines import open_services
from mailserver.delivery.transports import transport_of
from mailserver.intake.accept import IncomingLetter, accept_all, accept_found
from mailserver.intake.imap_watch import Watch
from mailserver.intake.size_limits import SizeLimits
from mailserver.intake.smtp import Listener

IDLE_SECONDS = 0.5
PAUSE_AFTER_FAILURE = 10.0
STOP_SECONDS = 4.0
NEWS_AFTER = 600.0  # seconds after which an error that stays the same is news again


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

    def __init__(self, folder: ContestContext) -> None:
        self._folder = folder
        self._stop = Event()
        self._supervisor = Supervisor()
        self._last_errors: dict[str, tuple[str, float]] = {}
        self._services = Services(folder)
        self._ordered_run = OrderedRun(folder)
        self._transport = transport_of(folder.settings, folder.path)
        self._bounds = SizeLimits(folder.store, folder.settings)
        self._loops = [
            self._loop("desk", self._services.handle_next_letter),
            self._loop("compiler", self._services.compile_next_program),
            self._loop("practice", self._services.practise_next),
            *self._hill(),
            self._loop("delivery", self._deliver),
            self._loop("run", self._ordered_run.look),
        ]
        mail = folder.settings.mail
        self._listener = (
            Listener(folder.settings, self._accept, folder.path, self._bounds.of_sender)
            if mail.listen_host or mail.listen_socket
            else None
        )
        if folder.settings.pickup.maildir:
            maildir = intake_checks.maildir_of(
                folder.settings, folder.path, partial(self._accept_found, "maildir")
            )
            self._loops.append(self._loop("pickup", maildir.take_next))
        if folder.settings.site.folder:
            self._loops.append(self._loop("pages", SiteKeeper(folder).step))
        self._watch_imap: Watch | None = None
        if folder.settings.imap.host:
            open_mailbox = intake_checks.mailbox_of(
                folder.settings, folder.path, partial(self._accept_found, "imap"), self._alarm
            )
            self._watch_imap = Watch(open_mailbox, self._alarm, self._stop)

    def _loop(self, name: str, work: Callable[[], bool]) -> _Loop:
        return _Loop(name, work, self._wake_all, partial(self._keep_error, name), self._stop)

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
        self._supervisor.tell(READY, f"STATUS=at work for {self._folder.settings.contest.title}")
        while not self._stop.wait(IDLE_SECONDS):
            doors = self._watch(doors)
            if all(thread.is_alive() for thread in self._threads()):
                self._supervisor.alive()
        log.info("stopping")
        self._supervisor.tell(STOPPING)
        if self._listener:
            self._listener.stop()
        threads = self._threads()
        for thread in threads:
            thread.join(STOP_SECONDS / len(threads))
        self._ordered_run.stop()
        log.info("stopped")

    def _threads(self) -> list[Thread]:
        return [*self._loops, *([self._watch_imap] if self._watch_imap else [])]

    def _accept(self, arrivals: Sequence[IncomingLetter]) -> None:
        channel = self._folder.settings.mail.listen_protocol
        accept_all(self._folder.store, arrivals, channel, self._folder.clock.now())
        self._wake_all()

    def _accept_found(self, channel: str, raw: bytes, arrived_at: datetime) -> None:
        folder = self._folder
        accept_found(folder.store, raw, channel, arrived_at, folder.clock.now(), self._bounds)
        self._wake_all()

    def _alarm(self, text: str) -> None:
        """A line for the organizer, in the log and in `knobeln status`."""
        log.warning(text)
        with self._folder.store.write() as tx:
            contest_store.note(tx, "mail", text, self._folder.clock.now())

    def _keep_error(self, loop: str, text: str) -> None:
        """For `knobeln status`: what a loop failed with; the same again only after a while."""
        last, at = self._last_errors.get(loop, ("", 0.0))
        if last == text and time.monotonic() - at < NEWS_AFTER:
            return
        with suppress(KnobelnError), self._folder.store.write() as tx:  # it may be the database that fails
            contest_store.note(tx, "error", f"{loop}: {text}", self._folder.clock.now())
            self._last_errors[loop] = (text, time.monotonic())

    def _wake_all(self) -> None:
        for loop in self._loops:
            loop.wake()

    def _hill(self) -> list[_Loop]:
        if not self._folder.settings.hill.enabled:
            return []
        return [self._loop("hill", self._services.climb)]

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
            dates = decisions.dates_now(tx, self._folder.written)
        return open_services(dates, self._folder.clock.now(), phase)

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

    def __init__(
        self,
        name: str,
        work: Callable[[], bool],
        done: Callable[[], None],
        failed: Callable[[str], None],
        stop: Event,
    ) -> None:
        """`work` does a piece and says whether there was one; after it `done` is called, or `failed` with the
        reason where it went wrong.
        """
        super().__init__(name=name, daemon=True)
        self._failed = failed
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
            self._failed(str(error))
        except Exception as error:
            log.exception("unexpected", loop=self.name)
            self._failed(f"unexpected, see the log: {error!r}")
        self._wake.clear()
        self._stop_event.wait(PAUSE_AFTER_FAILURE)
        return IDLE_SECONDS


def door_changes(before: dict[str, bool], after: dict[str, bool]) -> tuple[str, ...]:
    """Sentences for the journal."""
    return tuple(
        f"{door} {'opens' if after[door] else 'closes'}" for door in before if before[door] != after[door]
    )
