"""The server of one contest: loops in threads.

Each loop is woken when there may be work. It also looks twice a second, because other processes
(`receive`, `run`, other parts of the server) put work into the same database. A process does all
parts, or some:

    part      loop
    intake    listener   SMTP or LMTP -> table of letters (committed before the 250); in a process
    of its own
              imap       a mailbox elsewhere -> table of letters (committed before they are moved
              there)
    desk      desk       letters -> teams, queued programs, answers
              entries    the first list of entries -> all teams
              ladder     the programs that count, against each other -> a ranking
              run        starts `knobeln run` when the organizer has requested that by mail
              pages      released results -> the folder of pages
              (dates)    notes in the journal what opens and closes
    compile   compiler   queued programs -> builds and reports; when none waits, accepted
              programs -> their native code; one loop for each core
              languages  those that this host had lost -> their programs are queued again
              practice   programs to be tried -> reports
    deliver   delivery   outbox -> the relay or the Maildirs
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from socket import AF_UNIX, SOCK_DGRAM, socket
from threading import Event, Thread
from types import FrameType

from contest.errors import ConfigError, KnobelnError, NotNow, Stopped, StoreBusy
from contest.subprocesses.engine_pool import cores
from contest.util.log import log
from knobeln.context import ContestContext
from knobeln.season import go_on_as_step, order_run_as_step
from knobeln.server.letters_left import LettersLeft
from knobeln.server.listener_process import ListenerProcess
from knobeln.server.mailbox import mailbox_of
from knobeln.server.parts import Part
from knobeln.server.run_on_request import RequestedRun
from knobeln.server.site_writer import Pack, Sample, SiteKeeper
from knobeln.services import Services, SoleDelivery, note_limits_of_sandboxes
from mailserver.delivery.transports import transport_of
from mailserver.intake.accept import SizeLimits, accept_found, take_named
from mailserver.intake.hand_over import HandOverServer
from mailserver.intake.imap import Watch
from mailserver.reader_process import shared_reader
from store import contest_state, decisions

IDLE_SECONDS = 0.5
# after a look in vain: hundreds of letters a second need not wake every loop as often
REST_SECONDS = 0.1
FAILURE_PAUSE_SECONDS = 10.0
MAX_BUSY_PAUSE_SECONDS = 60.0  # while the database cannot be written, again and again
STOP_SECONDS = 4.0
LETTER_PAUSE_SECONDS = 0.02  # between letters that come one after the other
MAX_YIELD_SECONDS = 1.0  # about six times as long as the letters take that are handled together
LOCKS_SECONDS = 5.0  # between two looks whether the database still has our locks
REPEAT_ERROR_SECONDS = 600.0  # an error that stays the same is noted again after this time


class Gateway:
    """The running server of one contest."""

    def __init__(
        self,
        contest: ContestContext,
        ports: Sequence[socket],
        parts: Collection[Part],
        keep_locks: Callable[[], None],
        pack: Pack,
        sample: Sample | None = None,
        end_sandboxes: Callable[[], None] | None = None,
    ) -> None:
        """`ports`: where we listen already, see `low_ports`; `parts`: what this process does;
        `pack` and `sample`: for the pages. `end_sandboxes`: called when the server stops, so
        that no loop has to wait for a program.

        `keep_locks`: called from time to time; raises NotNow if another process does our parts now.
        Raises ConfigError if it has nothing to do.
        """
        self._contest = contest
        self._parts = parts
        self._keep_locks = keep_locks
        self._end_sandboxes = end_sandboxes
        self._keep_locks_at = time.monotonic() + LOCKS_SECONDS
        self._stop = Event()
        self._service_manager = ServiceManager()
        self._last_errors: dict[str, tuple[str, float]] = {}
        self._requested_run = RequestedRun(contest)
        self._bounds = SizeLimits(contest.store, contest.settings)
        self._listener: ListenerProcess | None = None
        self._letters_at = 0.0  # when the listener has kept the last ones
        self._hand_over: HandOverServer | None = None
        self._watch_imap: Watch | None = None
        self._loops: list[_Loop] = []
        services = Services(contest)
        if Part.INTAKE in parts:
            self._open_intakes(ports)
        if Part.DESK in parts:
            self._loops += [
                self._loop("desk", partial(self._handle_letters, services)),
                *(
                    [self._loop("ladder", services.update_ladder)]
                    if contest.settings.ladder.enabled
                    else []
                ),
                self._loop("entries", services.list_entries),
                self._loop("run", self._requested_run.step),
            ]
            if contest.settings.season.is_season:
                go_on = partial(go_on_as_step, contest, services.steps)
                self._loops.append(self._loop("season", go_on))
            if contest.settings.plays_by_date:
                order = partial(order_run_as_step, contest, services.steps)
                self._loops.append(self._loop("dates of runs", order))
            if contest.settings.site.folder:
                self._loops.append(self._loop("pages", SiteKeeper(contest, pack, sample).step))
        if Part.COMPILE in parts:
            self._loops += [
                *(
                    self._loop("compiler", services.compile_or_translate)
                    for _core in range(cores())
                ),
                self._loop("languages", services.try_languages_sometimes),
                self._loop("practice", services.practise_next),
            ]
        if Part.DELIVER in parts:
            delivery = SoleDelivery(contest, transport_of(contest.settings, contest.path))
            self._loops.append(self._loop("delivery", partial(_deliver, delivery)))
        if not (self._loops or self._listener or self._watch_imap):
            raise ConfigError(
                "there is nothing to take letters from: set mail.listen or imap.server in"
                " contest.toml"
            )

    def _open_intakes(self, ports: Sequence[socket]) -> None:
        settings, path = self._contest.settings, self._contest.path
        if settings.mail.listen:
            failed = partial(self._note_failure, "listener")
            self._listener = ListenerProcess(
                settings,
                path,
                clock=self._contest.clock,
                ports=ports,
                on_letter=self._letters_kept,
                failed=failed,
            )
        if settings.imap.host:
            open_mailbox = mailbox_of(settings, path, self._accept_found, self._alarm)
            left = LettersLeft(self._contest)
            self._watch_imap = Watch(open_mailbox, self._alarm, self._stop, left.tell)

    def _loop(self, name: str, work: Callable[[], bool]) -> _Loop:
        return _Loop(name, work, self._wake_all, partial(self._keep_error, name), self._stop)

    def stop_soon(self, _signal: int, _frame: FrameType | None) -> None:
        self._stop.set()

    def run(self) -> None:
        """Serve until stopped. Unfinished work goes on at the next start."""
        open_now = self._open_now()  # raises if the database does not answer; later we wait for it
        if {Part.DESK, Part.COMPILE} & set(self._parts):
            note_limits_of_sandboxes(self._contest)
        if Part.DESK in self._parts:
            shared_reader().start()  # the first letter need not wait for it
        if Part.INTAKE in self._parts:
            self._start_intakes()
        try:
            for loop in self._loops:
                loop.start()
            self._service_manager.notify(
                READY, f"STATUS=at work for {self._contest.settings.contest.title}"
            )
            if len(self._parts) < len(Part):
                log.info("at work", parts=" ".join(self._parts))
            overtaken = self._watch(open_now)
        finally:
            self._end()
        if overtaken:
            raise overtaken

    def _watch(self, open_now: dict[str, bool]) -> NotNow | None:
        """Return when we are told to stop, or with the error that another process does our
        parts."""
        overtaken: NotNow | None = None
        while not overtaken and not self._stop.wait(IDLE_SECONDS):
            overtaken = self._lost_locks()
            if Part.DESK in self._parts:
                open_now = self._watch_dates(open_now)
                shared_reader().rest()
            if all(thread.is_alive() for thread in self._threads()):
                self._service_manager.alive()
        return overtaken

    def _end(self) -> None:
        self._stop.set()
        log.info("stopping")
        self._service_manager.notify(STOPPING)
        if self._listener:
            self._listener.stop()
        if self._hand_over:
            self._hand_over.stop()
        if self._end_sandboxes:
            self._end_sandboxes()
        threads = self._threads()
        for thread in threads:
            thread.join(STOP_SECONDS / len(threads))
        self._requested_run.stop()
        log.info("stopped")

    def _lost_locks(self) -> NotNow | None:
        """Check every few seconds that we still hold our locks; return the error if another process
        has one."""
        if time.monotonic() < self._keep_locks_at:
            return None
        try:
            self._keep_locks()
        except NotNow as error:
            return error
        except StoreBusy as error:
            log.warning("our locks are lost until the database is back", why=str(error))
        self._keep_locks_at = time.monotonic() + LOCKS_SECONDS
        return None

    def _threads(self) -> list[Thread]:
        intakes = (self._listener, self._hand_over, self._watch_imap)
        return [*self._loops, *(intake for intake in intakes if intake)]

    def _start_intakes(self) -> None:
        if self._listener:
            self._listener.start()
        if self._watch_imap:
            self._watch_imap.start()
        self._open_hand_over()

    def _open_hand_over(self) -> None:
        try:
            self._hand_over = HandOverServer(
                self._contest.path, self._bounds.most, self._take_named
            )
            self._hand_over.start()
        except OSError as error:
            log.warning("`knobeln receive` must do without us, and takes longer", error=str(error))

    def _take_named(self, raw: bytes, sender: str | None, recipients: Sequence[str]) -> None:
        take_named(self._bounds, raw, sender, recipients, self._contest.clock.now())
        self._wake_all()

    def _letters_kept(self) -> None:
        self._letters_at = time.monotonic()
        self._wake_all()

    def _handle_letters(self, services: Services) -> bool:
        """Handle letters after a short pause, in which new ones come in: while the desk writes,
        SQLite lets nobody else. Those that had to wait meanwhile count as letters that come now."""
        end = time.monotonic() + MAX_YIELD_SECONDS
        while (wait := min(end, self._letters_at + LETTER_PAUSE_SECONDS) - time.monotonic()) > 0:
            time.sleep(wait)
        handled = services.handle_some_letters()
        self._letters_at = time.monotonic()
        return handled

    def _accept_found(self, raw: bytes, arrived_at: datetime) -> None:
        accept_found(self._contest.store, raw, arrived_at, self._contest.clock.now(), self._bounds)
        self._wake_all()

    def _alarm(self, text: str) -> None:
        """Tell the organizer, in the log and in `knobeln status`."""
        log.warning(text)
        with self._contest.store.write() as tx:
            contest_state.note(tx, "mail", text, self._contest.clock.now())

    def _note_failure(self, part: str, text: str) -> None:
        log.error(text, loop=part)
        self._keep_error(part, text)

    def _keep_error(self, loop: str, text: str) -> None:
        """Note a loop's error for `knobeln status`; the same error again only after a while."""
        last, logged_at = self._last_errors.get(loop, ("", 0.0))
        if last == text and time.monotonic() - logged_at < REPEAT_ERROR_SECONDS:
            return
        # it may be the database that fails
        with suppress(KnobelnError), self._contest.store.write() as tx:
            contest_state.note(tx, "error", f"{loop}: {text}", self._contest.clock.now())
            self._last_errors[loop] = (text, time.monotonic())

    def _wake_all(self) -> None:
        for loop in self._loops:
            loop.wake()

    def _watch_dates(self, before: dict[str, bool]) -> dict[str, bool]:
        """Note what has opened or closed, and return what is open now.

        If that fails, return `before`, so that the change is noted later.
        """
        try:
            after = self._open_now()
            if changes := date_changes(before, after):
                with self._contest.store.write() as tx:
                    for change in changes:
                        contest_state.note(tx, "dates", change, self._contest.clock.now())
                for change in changes:
                    log.info(change)
            return after
        except Exception as error:
            log.error(str(error), loop="dates", exc_info=not isinstance(error, KnobelnError))
            self._stop.wait(FAILURE_PAUSE_SECONDS)
            return before

    def _open_now(self) -> dict[str, bool]:
        with self._contest.store.read() as tx:
            phase = contest_state.state(tx).phase
            dates = decisions.dates_now(tx, self._contest.written, self._contest.settings.season)
        return dates.open_services(phase, self._contest.clock.now())


def _deliver(delivery: SoleDelivery) -> bool:
    """Deliver a batch. True: a mail was sent, so there may be more."""
    done = delivery.deliver()
    return done is not None and done.sent > 0


class _Loop(Thread):
    """Does one piece of work after another. It rests when there is none, and longer after a
    failure.

    A failure that stays the same is logged once in a while. While the database cannot be written,
    it rests longer each time.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[], bool],
        done: Callable[[], None],
        failed: Callable[[str], None],
        stop: Event,
    ) -> None:
        """`work` does one piece and returns whether there was one. Then the loop calls `done`, or
        after an error `failed` with the reason.
        """
        super().__init__(name=name, daemon=True)
        self._failed = failed
        self._work = work
        self._done = done
        self._stop_event = stop
        self._wake = Event()
        self._failure = ""  # of the last piece of work; "" if it succeeded
        self._logged_at = 0.0
        self._pause = FAILURE_PAUSE_SECONDS

    def wake(self) -> None:
        self._wake.set()

    def run(self) -> None:
        while not self._stop_event.is_set():
            if not self._found_work():
                self._stop_event.wait(REST_SECONDS)
                self._wake.wait(IDLE_SECONDS - REST_SECONDS)
                self._wake.clear()

    def _found_work(self) -> bool:
        try:
            is_found = self._work()
        except Stopped:
            return False
        except Exception as error:
            self._note(error)
        else:
            if self._failure:
                log.info("works again", loop=self.name)
                self._failure = ""
            if is_found:
                self._done()
            return is_found
        self._wake.clear()
        self._stop_event.wait(self._pause)
        return False

    def _note(self, error: Exception) -> None:
        is_ours = isinstance(error, KnobelnError)
        failure = str(error) if is_ours else f"unexpected error, see the log: {error!r}"
        is_same = failure == self._failure
        if not is_same or time.monotonic() - self._logged_at >= REPEAT_ERROR_SECONDS:
            log.error(
                str(error) if is_ours else "unexpected error", loop=self.name, exc_info=not is_ours
            )
            self._logged_at = time.monotonic()
        longer = min(2 * self._pause, MAX_BUSY_PAUSE_SECONDS)
        self._pause = longer if is_same and isinstance(error, StoreBusy) else FAILURE_PAUSE_SECONDS
        self._failure = failure
        self._failed(failure)


def date_changes(before: dict[str, bool], after: dict[str, bool]) -> tuple[str, ...]:
    """Return sentences for the journal."""
    return tuple(
        f"{name} {'opens' if after[name] else 'closes'}"
        for name in before
        if before[name] != after[name]
    )


# --- systemd --------------------------------------------------------------------------------------
READY = "READY=1"
STOPPING = "STOPPING=1"
_ALIVE = "WATCHDOG=1"


class ServiceManager:
    """For one thread. It never raises: a lost service manager is no reason to stop work."""

    def __init__(self) -> None:
        self._address = os.environ.get("NOTIFY_SOCKET", "")
        self._pause = _watchdog_seconds() / 2
        self._notified_at = time.monotonic()

    def notify(self, *assignments: str) -> None:
        """Send assignments such as READY, or `STATUS=...` with text for people."""
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with suppress(OSError), socket(AF_UNIX, SOCK_DGRAM) as sender:
            sender.settimeout(1)
            sender.sendto("\n".join(assignments).encode(), address)

    def alive(self) -> None:
        """Call this all the time while all is well. It notifies as often as the watchdog wants."""
        if self._pause and time.monotonic() - self._notified_at >= self._pause:
            self._notified_at = time.monotonic()
            self.notify(_ALIVE)


def _watchdog_seconds() -> float:
    """Return the watchdog's timeout; 0 if there is none, or none for this process."""
    if os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return 0
    wanted = os.environ.get("WATCHDOG_USEC", "")
    return int(wanted) / 1e6 if wanted.isdecimal() else 0
