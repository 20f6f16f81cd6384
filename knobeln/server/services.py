"""The services of the mail gateway, each a loop's body: letters, the compiler, delivery."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from compiler.builders import builder_of
from compiler.service import CompileService
from knobeln.context import ContestContext
from mailserver.delivery.deliver import Delivered, deliver_due
from mailserver.delivery.transports import Transport
from mailserver.handler import handle_next
from reports.compile_report import compile_report
from reports.ladder_report import HillLetters
from reports.practice_report import PracticeLetters
from tournament.ladder import HillService
from tournament.practice import PracticeService
from tournament.runners import open_runner

Service = TypeVar("Service")


class _Kept(Generic[Service]):
    """A service that is made when it is needed, and anew when the contest's dates have moved."""

    def __init__(self, make: Callable[[ContestContext], Service]) -> None:
        self._make = make
        self._made: tuple[ContestContext, Service] | None = None

    def of(self, folder: ContestContext) -> Service:
        if self._made is None or self._made[0] is not folder:
            self._made = folder, self._make(folder)
        return self._made[1]


class Services:
    """What is done with letters and programs of one contest."""

    def __init__(self, folder: ContestContext) -> None:
        self._folder = folder
        self._compiler = _Kept(_compiler)
        self._practice = _Kept(_practice)
        self._hill = _Kept(_hill)

    def handle_next_letter(self) -> bool:
        """False: no letter waits."""
        folder = self._now()
        return handle_next(folder.store, folder.settings, folder.clock, folder.templates)

    def handle_letters(self) -> None:
        while self.handle_next_letter():
            pass

    def compile_next_program(self, *, at_once: bool = False) -> bool:
        """False: no program waits. Raises ToolMissing where the compiler or its jail is not installed."""
        return self._compiler.of(self._now()).build_next(at_once=at_once)

    def compile_programs(self, *, at_once: bool = False) -> None:
        while self.compile_next_program(at_once=at_once):
            pass

    def practise_next(self) -> bool:
        """False: nobody asked for practice, or it is not the time. Raises ToolMissing as above."""
        return self._practice.of(self._now()).play_next()

    def climb(self) -> bool:
        """Play on the standing hill, where there is one. False: nothing to do now."""
        return self._hill.of(self._now()).climb()

    def practise(self) -> None:
        while self.practise_next():
            pass

    def _now(self) -> ContestContext:
        """The contest with its dates as they are now; several threads may ask."""
        self._folder = self._folder.current()
        return self._folder


def _compiler(folder: ContestContext) -> CompileService:
    write = partial(compile_report, settings=folder.settings, templates=folder.templates)
    builder = builder_of(folder.settings, open_runner)
    return CompileService(folder.store, folder.settings, folder.clock, builder, write)


def _practice(folder: ContestContext) -> PracticeService:
    builder = builder_of(folder.settings, open_runner)
    letters = PracticeLetters(folder.settings, folder.templates)
    return PracticeService(folder.store, folder.settings, folder.clock, builder, open_runner, letters)


def _hill(folder: ContestContext) -> HillService:
    letters = HillLetters(folder.templates)
    return HillService(folder.store, folder.settings, folder.clock, open_runner, letters)


def deliver(folder: ContestContext, way: Transport) -> Delivered | None:
    """Deliver a batch of what is due; None where another process of this contest is at it."""
    with folder.only_one("delivery") as alone:
        return deliver_due(folder.store, folder.settings, folder.clock, way) if alone else None


def deliver_all(folder: ContestContext, way: Transport) -> Delivered | None:
    """Deliver until nothing more gets away; None where another process of this contest is at it."""
    total = Delivered()
    while (done := deliver(folder, way)) is not None:
        total += done
        if not done.sent and not done.failed:
            return total
    return None
