"""The game that a command is about: the contest's, or another with the settings of its preset."""

from __future__ import annotations

import click
from pydantic import ValidationError

from compiler.languages import has_package
from compiler.trial import with_languages_here
from contest.config.load import FILE_NAME, faults, load_settings
from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.errors import ConfigError
from contest.util.clock import SystemClock
from knobeln import presets
from knobeln.cli.contest_option import contest_path
from knobeln.cli.output import remark

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
    try:
        return Settings(dates=usual_dates(SystemClock().now()))
    except ValidationError as error:
        raise ConfigError(faults(error)) from None


def settings_for(game_name: str | None) -> Settings:
    """Return the contest's settings if they are of this game (None: of any), otherwise the game's
    preset.

    Then all languages are taken that this host has. Packages of Python that it lacks are left out,
    and named: most programs need none. Raises NotFound if there is no such game.
    """
    settings = settings_or_defaults()
    if game_name is None or game_name == settings.game.name:
        return settings
    settings = with_languages_here(presets.settings(game_name, SystemClock().now()))
    if lacking := lacking_packages(settings):
        remark(
            f"A contest of this game lets programs import {', '.join(lacking)}, which is not"
            " installed here.",
            err=True,
        )
    return without_packages(settings, lacking)


def lacking_packages(settings: Settings) -> tuple[str, ...]:
    """The packages of Python that programs may import, and this host does not have."""
    return tuple(
        package for package in settings.programs.python_packages if not has_package(package)
    )


def without_packages(settings: Settings, packages: tuple[str, ...]) -> Settings:
    """The settings of a contest whose programs cannot import these packages."""
    others = tuple(
        package for package in settings.programs.python_packages if package not in packages
    )
    return settings.changed(programs={"python_packages": others})


def without_description(settings: Settings) -> Settings:
    """Return settings that accept a program without a description: at home it needs none."""
    if settings.programs.description != "require":
        return settings
    return settings.changed(programs={"description": "warn"})
