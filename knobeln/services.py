"""Handle letters, programs and mails, one piece at a time. `knobeln serve` does it in loops.

What compiles and plays is imported with the first program: `knobeln receive` may have none.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast

from compiler.waiting_programs import tell_of_waiting
from contest.errors import EngineFailed, StoreBusy
from contest.interfaces.protocols import to_organizer
from contest.language import noted
from contest.util.log import log
from knobeln.context import ContestContext
from knobeln.letter_service import LetterService
from knobeln.native_code import NativeCode
from knobeln.steps import Steps
from mailserver.commands import witness
from mailserver.delivery.deliver import Delivered, Delivery
from mailserver.delivery.transports import Transport
from mailserver.for_organizer import tidy
from mailserver.reader import Read
from mailserver.reader_process import shared_reader
from sandbox import leftovers
from sandbox.groups import limits_of_sandboxes
from store import Transaction, contest_state, languages, outbox, practices, submissions
from store.claimant import Claimant

if TYPE_CHECKING:
    from arena.ladder_service import LadderService
    from arena.practice_service import PracticeService
    from compiler.repeated_failures import EngineFailures
    from compiler.service import CompileService

LANGUAGES_SECONDS = 60.0  # between two trials of the languages that programs wait for
TIDY_SECONDS = 60.0  # between two looks for letters that have waited for too long
SETTLED_SECONDS = 600.0  # a new server compiles what waited for it, before it tells who waits
CLASS_SECONDS = 3_600.0  # between two looks whether the lecturer is to be told of the class
UNWRITTEN_PAUSE_SECONDS = 30.0  # before we try again to write which mails were sent

Service = TypeVar("Service")


class Services:
    """Handles the letters and programs of one contest. Several threads may use it."""

    def __init__(self, contest: ContestContext, read: Read | None = None) -> None:
        """`read`: how letters are read, by default in a process whose time is limited."""
        self._contest = contest
        self.steps = Steps(this_process())
        self._native_code = NativeCode(contest)
        self._letters = LetterService(contest, this_process(), read or shared_reader().read)
        self._made: dict[object, tuple[ContestContext, Any]] = {}
        self._lock = Lock()
        self._try_languages_at = self._tidy_at = 0.0
        self._class_at = time.monotonic() + CLASS_SECONDS
        self._settled_at = time.monotonic() + SETTLED_SECONDS

    def handle_some_letters(self) -> bool:
        """Handle some letters, see LetterService. False: none waits."""
        is_any = self._letters.handle_some()
        if not is_any:
            self._tidy_sometimes(self._now())
        return is_any

    def _tidy_sometimes(self, contest: ContestContext) -> None:
        if time.monotonic() >= self._tidy_at:
            self._tidy_at = time.monotonic() + TIDY_SECONDS
            store, settings, templates = contest.store, contest.settings, contest.templates
            now = contest.clock.now()
            tidy(store, settings, templates, now)
            witness.ask(store, settings, templates, now)
            if time.monotonic() >= self._settled_at:
                tell_of_waiting(store, settings, templates, now)
        if time.monotonic() >= self._class_at:
            self._class_at = time.monotonic() + CLASS_SECONDS
            self._tell_of_class(contest)

    @staticmethod
    def _tell_of_class(contest: ContestContext) -> None:
        from knobeln.classes.daily import tell_of_class  # few contests have a class

        tell_of_class(contest)

    def handle_letters(self) -> None:
        while self.handle_some_letters():
            pass

    def compile_next_program(self, *, at_once: bool = False) -> bool:
        """Build one program. False: none waits, except for a language that this host has lost."""
        contest = self._now()
        with contest.store.read() as tx:
            if not submissions.any_waiting(tx):
                return False
        return self._service(self._compiler, contest).build_next(at_once=at_once)

    def compile_or_translate(self) -> bool:
        """Build one program, or, when none waits, make the native code of one. False: nothing is
        left."""
        return self.compile_next_program() or self._native_code.step()

    def try_languages(self) -> bool:
        """Try the languages that programs wait for. True: one works again."""
        return self._service(self._compiler, self._now()).try_languages()

    def try_languages_sometimes(self) -> bool:
        """`try_languages`, at most once in a while; one thread may call this as often as it
        likes."""
        if time.monotonic() < self._try_languages_at:
            return False
        self._try_languages_at = time.monotonic() + LANGUAGES_SECONDS
        return self.try_languages()

    def compile_programs(self, *, at_once: bool = False) -> None:
        """Build all programs that can be built. Raises EngineFailed if our engine fails with all of
        them."""
        with self._contest.store.read() as tx:
            if not submissions.any_waiting(tx) and not languages.waiting(tx):
                return
        self.try_languages()
        is_left = True
        while is_left:
            try:
                is_left = self.compile_next_program(at_once=at_once)
            except EngineFailed as error:
                if not failures_of(self._contest).is_of_program(error):
                    raise
                log.error(
                    "our engine failed with a program that waits; it is tried again",
                    error=str(error),
                )

    def list_entries(self) -> bool:
        """Do one thing that is due between the last program and the start. False: nothing is."""
        from reports.contest_reporter import ContestReporter
        from tournament.seal_entries import next_step

        contest = self._now()
        settings, now = contest.settings, contest.clock.now()
        with contest.store.read() as tx:
            if not next_step(tx, settings, now):
                return False
        reporter = ContestReporter(settings, contest.templates)

        def take() -> bool:
            with contest.store.write() as tx:
                step = next_step(tx, settings, now)  # another process may have been quicker
                if step:
                    step(tx, settings, contest.templates, reporter, now)
            return step is not None

        return self.steps.take(contest, noted("the list of entries"), take)

    def practise_next(self) -> bool:
        """Play one requested practice. False: none waits, or it is too early."""
        contest = self._now()
        with contest.store.read() as tx:
            if not practices.any_waiting(tx):
                return False
        return self._service(_practice, contest).play_next()

    def update_ladder(self) -> bool:
        """Play on the ladder. False: there is nothing to do now."""
        return self._service(_ladder, self._now()).update()

    def practise(self) -> None:
        while self.practise_next():
            pass

    def _compiler(self, contest: ContestContext) -> CompileService:
        from compiler.builders import builder_of
        from compiler.service import CompileService
        from tournament.runners import open_runner

        return CompileService(
            store=contest.store,
            settings=contest.settings,
            clock=contest.clock,
            builder=builder_of(contest.settings, open_runner),
            renderer=contest.templates,
            failures=failures_of(contest),
            claimant=this_process(),
            accepted=self._native_code.add,
        )

    def _service(
        self, make: Callable[[ContestContext], Service], contest: ContestContext
    ) -> Service:
        """The service, made when it is first needed, and again when the contest's dates have
        moved."""
        with self._lock:
            served, service = self._made.get(make, (None, None))
            if served is not contest:
                service = make(contest)
                self._made[make] = contest, service
            return cast(Service, service)

    def _now(self) -> ContestContext:
        """Return the contest with today's dates."""
        self._contest = self._contest.current()
        return self._contest


def _practice(contest: ContestContext) -> PracticeService:
    from arena.practice_service import PracticeService, open_without_aside
    from compiler.builders import builder_of

    open_runner = open_without_aside(contest.store)
    return PracticeService(
        store=contest.store,
        settings=contest.settings,
        clock=contest.clock,
        builder=builder_of(contest.settings, open_runner),
        open_runner=open_runner,
        templates=contest.templates,
        failures=failures_of(contest),
        claimant=this_process(),
    )


def _ladder(contest: ContestContext) -> LadderService:
    from arena.ladder_service import LadderService
    from tournament.runners import open_runner

    return LadderService(
        store=contest.store,
        settings=contest.settings,
        clock=contest.clock,
        open_runner=open_runner,
        failures=failures_of(contest),
    )


def failures_of(contest: ContestContext) -> EngineFailures:
    """Counts the failures of our engine in this contest."""
    from compiler.repeated_failures import EngineFailures
    from sandbox.players.fuel import is_engine_well
    from sandbox.sandbox import Sandbox

    well = partial(is_engine_well, Sandbox())
    return EngineFailures(contest.store, contest.settings, contest.clock, contest.templates, well)


def note_limits_of_sandboxes(contest: ContestContext) -> None:
    """Note in the journal how limits hold, unless it says so. Also sweeps what a dead server has
    left."""
    sentence = limits_of_sandboxes().sentence
    with contest.store.write() as tx:
        area = contest_state.LIMITS_AREA
        if [line.text for line in contest_state.log(tx, 1, area=area)] != [sentence]:
            contest_state.note(tx, area, sentence, contest.clock.now())


def tell_about_run(
    contest: ContestContext, tx: Transaction, key: str, text: str, *, done: bool
) -> None:
    """Queue a mail to the organizer about the run."""
    rendered = contest.templates.render("organizer_answer", what="run", text=text, done=done)
    mail = to_organizer(contest.settings, key, "organizer_answer", rendered)
    outbox.put(tx, mail, contest.settings, contest.clock.now())


class SoleDelivery:
    """Delivers the mails of a contest, as long as no other process of its folder does.

    Processes on other computers may deliver at the same time: each mail is claimed.
    """

    def __init__(self, contest: ContestContext, transport: Transport) -> None:
        self._contest = contest
        self._delivery = Delivery(contest.store, contest.settings, contest.clock, transport)
        self._lock = ExitStack()
        self._is_alone = False

    def deliver(self) -> Delivered | None:
        """Deliver a batch of the mails that are due; None if another process of this folder
        delivers.

        Raises StoreBusy. While it is not written what was sent, we keep the lock: only we know.
        """
        if not self._is_alone:
            lock = self._contest.only_one("delivery", shared_elsewhere=True)
            self._is_alone = bool(self._lock.enter_context(lock))
        try:
            return self._delivery.deliver_due() if self._is_alone else None
        finally:
            if not self._delivery.is_behind:
                self._is_alone = False
                self._lock.close()

    def finish(self) -> Delivered:
        """Wait for the answers of the relay that take long."""
        return self._delivery.finish()

    def insist(self) -> Delivered | None:
        """As `deliver`; but where it cannot be written what was sent, wait until it can."""
        is_waiting = False
        while True:
            try:
                return self.deliver()
            except StoreBusy as error:
                if not self._delivery.is_behind:
                    raise
                if not is_waiting:
                    log.error("this waits until it can note which mails were sent", why=str(error))
                is_waiting = True
                time.sleep(UNWRITTEN_PAUSE_SECONDS)


def deliver_all(contest: ContestContext, transport: Transport) -> Delivered | None:
    """Deliver until no more mail goes out; None if another process of this folder delivers."""
    delivery = SoleDelivery(contest, transport)
    total = Delivered()
    while (done := delivery.insist()) is not None:
        total += done
        if not done.sent and not done.failed:
            return total + delivery.finish()
    return None


# --- this process ---------------------------------------------------------------------------------
@cache
def this_process() -> Claimant:
    """Its name, under which it claims work: the boot of this computer, the process, a random
    number."""
    return Claimant(f"{_boot()}/{leftovers.label()}-{secrets.randbelow(2**63)}", _is_gone)


def _is_gone(name: str) -> bool:
    """Whether this is a process of this computer that has ended. Of other computers' we cannot
    know."""
    boot, _, label = name.partition("/")
    return boot == _boot() and leftovers.is_left_over(label)


@cache
def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
