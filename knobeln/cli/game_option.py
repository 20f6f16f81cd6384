"""Which game a command is about: the contest's, or another one with the parameters of its announcement."""

from __future__ import annotations

import click

from contest.clock import SystemClock
from contest.config.load import FILE_NAME, load_settings
from contest.config.sections import DEFAULT_GAME
from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.games.registry import kind_of
from knobeln.cli.contest_option import chosen_path

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
    if (path / FILE_NAME).exists():
        return load_settings(path)
    clock = SystemClock()
    return Settings(dates=usual_dates(clock.now()))


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
