"""Which game a command is about: the contest's, or another one with the parameters of its announcement."""

from __future__ import annotations

import click

from knobeln import config
from knobeln.cli.chosen import chosen_path
from knobeln.clock import SystemClock
from knobeln.config import DEFAULT_GAME, Settings
from knobeln.games import kind_of

KNOBELN = DEFAULT_GAME

game_option = click.option(
    "--game",
    "game_name",
    default=None,
    help="Which game; `knobeln games` lists them. Default: the contest's, or KNOBELN.",
)


def settings_or_defaults() -> Settings:
    """The contest's settings, or ours where there is no contest: for commands that also work without one."""
    path = chosen_path()
    if (path / config.FILE_NAME).exists():
        return config.load(path)
    clock = SystemClock()
    return Settings(dates=config.usual_dates(clock.now()))


def settings_for(game_name: str | None) -> Settings:
    """The contest's settings, or ours, with this game (None = their own). NotFound where there is none."""
    settings = settings_or_defaults()
    if game_name in (None, settings.game.name):
        return settings
    game = kind_of(str(game_name)).settings(name=str(game_name))
    return settings.model_copy(update={"game": game})


def without_description(settings: Settings) -> Settings:
    """These settings, where a program without a description is not rejected: at home it needs none."""
    programs = settings.programs.model_copy(update={"description": "warn"})
    return settings.model_copy(update={"programs": programs})
