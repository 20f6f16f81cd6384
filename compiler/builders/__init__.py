"""Builders: how submissions become images, with one module for each kind of play.

Only `builder_of` asks for the kind of play.
"""

from __future__ import annotations

from typing import Any

from compiler.builders.base import ProgramBuilder
from compiler.builders.machine import MachineBuilder
from compiler.builders.table import TableBuilder
from compiler.builders.text import TextBuilder
from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.interfaces.protocols import RunnerFactory

_BUILDERS: tuple[type[ProgramBuilder[Any]], ...] = (MachineBuilder, TextBuilder, TableBuilder)


def builder_of(settings: Settings, open_runner: RunnerFactory) -> ProgramBuilder[Any]:
    """Return the builder for the contest's game; it plays its trial games with `open_runner`."""
    play = game_of(settings.game, settings.programs).info.play.name
    return next(each for each in _BUILDERS if each.name == play)(settings, open_runner)
