"""The game that a command is about: the contest's, or another with the parameters of its announcement."""

from __future__ import annotations

import click

from contest.clock import SystemClock
from contest.config.load import FILE_NAME, load_settings
from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.games.registry import game_plugin
from knobeln.cli.contest_option import contest_path

game_option = click.option(
    "--game",
    "game_name",
    default=None,
    help="Which game; `knobeln games` lists them. Default: the contest's, or KNOBELN.",
)


def settings_or_defaults() -> Settings:
    """Return the contest's settings, or the defaults if there is no contest."""
    path = contest_path()
    if (path / FILE_NAME).exists():
        return load_settings(path)
    return default_settings()


def default_settings() -> Settings:
    """The settings of a contest that changes none."""
    return Settings(dates=usual_dates(SystemClock().now()))


def settings_for(game_name: str | None) -> Settings:
    """Return the same with this game (None: their own). Raises NotFound if there is no such game."""
    settings = settings_or_defaults()
    if game_name in (None, settings.game.name):
        return settings
    game = game_plugin(str(game_name)).settings(name=str(game_name))
    return settings.model_copy(update={"game": game})


def without_description(settings: Settings) -> Settings:
    """Return settings that accept a program without a description: at home it needs none."""
    if settings.programs.description != "require":
        return settings
    programs = settings.programs.model_copy(update={"description": "warn"})
    return settings.model_copy(update={"programs": programs})
