"""The services of the mail gateway, each a loop's body: letters, the compiler, delivery."""

from __future__ import annotations

from functools import partial

from compiler.builders import builder_of
from compiler.worker import CompileService
from knobeln.cli.folder import ContestFolder
from mailserver.delivery import Delivered, deliver_due
from mailserver.desk import handle_next
from mailserver.transports import Transport
from reports.compile_report import compile_report
from tournament.arenas import open_arena


class Services:
    """What is done with letters and programs of one contest."""

    def __init__(self, folder: ContestFolder) -> None:
        self._folder = folder
        self._compiler: CompileService | None = None

    def handle_next_letter(self) -> bool:
        """False: no letter waits."""
        folder = self._folder
        return handle_next(folder.store, folder.settings, folder.clock, folder.templates)

    def handle_letters(self) -> None:
        while self.handle_next_letter():
            pass

    def compile_next_program(self, *, at_once: bool = False) -> bool:
        """False: no program waits. Raises ToolMissing where the compiler or its jail is not installed."""
        return self._compile_service().build_next(at_once=at_once)

    def compile_programs(self, *, at_once: bool = False) -> None:
        while self.compile_next_program(at_once=at_once):
            pass

    def _compile_service(self) -> CompileService:
        if self._compiler is None:
            folder = self._folder
            write = partial(compile_report, settings=folder.settings, templates=folder.templates)
            builder = builder_of(folder.settings, open_arena)
            self._compiler = CompileService(folder.store, folder.settings, folder.clock, builder, write)
        return self._compiler


def deliver(folder: ContestFolder, way: Transport) -> Delivered | None:
    """Deliver a batch of what is due; None where another process of this contest is at it."""
    with folder.only_one("delivery") as alone:
        return deliver_due(folder.store, folder.settings, folder.clock, way) if alone else None


def deliver_all(folder: ContestFolder, way: Transport) -> Delivered | None:
    """Deliver until nothing more gets away; None where another process of this contest is at it."""
    total = Delivered()
    while (done := deliver(folder, way)) is not None:
        total += done
        if not done.sent and not done.failed:
            return total
    return None
