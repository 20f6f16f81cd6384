"""How games are run: one module for each kind of play, found by its name.

Another package adds a kind by an entry point of the group `knobeln.runners`, whose object is a RunnerPlugin
with the kind's name.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib import import_module

from contest.config.settings import Settings
from contest.errors import ConfigError
from contest.games.game import KindOfPlay
from contest.games.registry import game_of
from contest.interfaces.protocols import Images, ProgressCallback, Runner, no_progress
from contest.seeds import Seeds
from contest.util.plugins import by_name
from tournament.runners.plugin import RunnerPlugin

ENTRY_POINTS = "knobeln.runners"
BUILT_IN = ("machine", "text", "table")  # modules of this package, imported only when they are needed


def runner_plugin(play: KindOfPlay) -> RunnerPlugin:
    """How games of this kind are run. Raises ConfigError where no package knows."""
    if play.name in BUILT_IN:
        plugin: RunnerPlugin = import_module(f"{__name__}.{play.name}").PLUGIN
        return plugin
    others = by_name(ENTRY_POINTS, tuple[RunnerPlugin, ...]())
    if play.name not in others:
        raise ConfigError(f"no runner is installed for games of the kind {play.name!r}")
    return others[play.name]


def runner_of(settings: Settings) -> RunnerPlugin:
    """How the games of the contest are run."""
    return runner_plugin(game_of(settings.game, settings.programs).info.play)


def open_runner(
    images: Images, settings: Settings, seeds: Seeds, progress: ProgressCallback = no_progress
) -> AbstractContextManager[Runner]:
    """A runner for the contest's game with these programs; closing it ends everything that it started."""
    return runner_of(settings).open(images, settings, seeds, progress)
