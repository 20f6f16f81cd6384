"""How games are run: one module for each kind of play, found by its name."""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib import import_module

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.interfaces.protocols import Images, ProgressCallback, Runner, no_progress
from contest.seeds import Seeds
from tournament.runners.plugin import RunnerPlugin


def runner_of(settings: Settings) -> RunnerPlugin:
    """How the games of the contest are run. Its module is imported only when it is needed."""
    play = game_of(settings.game, settings.programs).info.play
    plugin: RunnerPlugin = import_module(f"{__name__}.{play.name}").PLUGIN
    return plugin


def open_runner(
    images: Images, settings: Settings, seeds: Seeds, progress: ProgressCallback = no_progress
) -> AbstractContextManager[Runner]:
    """A runner for the contest's game with these programs; closing it ends everything that it
    started."""
    return runner_of(settings).open(images, settings, seeds, progress)
