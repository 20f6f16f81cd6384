"""Builders: how submissions become images, with one module for each kind of play.

Only `builder_of` asks for the kind of play. Another package adds a kind by an entry point of the group
`knobeln.builders`, whose object is a subclass of ProgramBuilder with the kind's name.
"""

from __future__ import annotations

from typing import Any

from compiler.builders.base import ProgramBuilder
from compiler.builders.machine import MachineBuilder
from compiler.builders.table import TableBuilder
from compiler.builders.text import TextBuilder
from contest.config.settings import Settings
from contest.errors import ConfigError
from contest.games.registry import game_of
from contest.interfaces.protocols import RunnerFactory
from contest.util.plugins import by_name

ENTRY_POINTS = "knobeln.builders"
BUILT_IN: tuple[type[ProgramBuilder[Any]], ...] = (MachineBuilder, TextBuilder, TableBuilder)


def builder_of(settings: Settings, open_runner: RunnerFactory) -> ProgramBuilder[Any]:
    """The builder for the contest's game; it plays its trial games with `open_runner`.

    Raises ConfigError where no package knows how to build programs for this kind of play.
    """
    play = game_of(settings.game, settings.programs).info.play.name
    builders = by_name(ENTRY_POINTS, BUILT_IN)
    if play not in builders:
        raise ConfigError(f"no builder is installed for games of the kind {play!r}")
    return builders[play](settings, open_runner)
