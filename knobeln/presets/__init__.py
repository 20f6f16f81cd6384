"""Presets: the settings that differ in contests of games other than KNOBELN, one small file for
each, and in the contest of 1993.

A preset is a contest.toml with the settings that differ from our defaults. Instead of `[dates]` it
has a `[calendar]`: for each date the number of days after the contest is set up, and the time of
day in Universal Time; without `at` it is the same time of day. In `[demo]` are the `teams` of a
demonstration, and the settings that make it short.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from contest.config.load import faults
from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.errors import ConfigError
from contest.formats.one_round import Exact, Melee, RoundRobin
from contest.games.game import GameInfo
from contest.games.registry import game
from contest.schema.sections import DEFAULT_GAME, Dates


def settings(name: str, now: datetime) -> Settings:
    """The settings of a contest of this game, or of the preset of this name, that is set up now.

    A game without a preset gets settings that fit its facts. Raises NotFound for an unknown game,
    ConfigError if the preset or a variable of the environment has a wrong setting.
    """
    preset = files(__name__).joinpath(f"{name}.toml")
    text = preset.read_text(encoding="utf-8") if preset.is_file() else ""
    info = game(tomllib.loads(text).get("game", {}).get("name", name)).info
    try:
        return _settings(info, text, now)
    except ValidationError as error:
        raise ConfigError(f"{preset if text else 'the settings'}:\n{faults(error, text)}") from None


def _settings(info: GameInfo, preset: str, now: datetime) -> Settings:
    if not preset and info.name == DEFAULT_GAME:
        return Settings(dates=usual_dates(now))
    if not preset:
        return Settings(dates=usual_dates(now), **_fitting(info))
    sections = tomllib.loads(preset)
    sections.pop("demo", None)
    return Settings(dates=_dates(sections.pop("calendar"), now), **sections)


def for_class(settings: Settings) -> Settings:
    """The settings of a contest for a course: it asks for no more than names, and mails them to
    nobody. Mails have this host's time beside Universal Time, and it is played at its date."""
    offered = tuple(code for code in settings.reports.offered if code != "LAP")
    return settings.changed(
        teams={"member_lines": 0},
        reports={"offered": offered},
        contest={"zone": _zone_of_host()},
        tournament={"by_date": True},
    )


def _zone_of_host() -> str:
    """The name of its time zone; "" if that is Universal Time, or has no name."""
    file = str(Path("/etc/localtime").resolve())
    name = os.environ.get("TZ", "").removeprefix(":") or file.partition("/zoneinfo/")[2]
    return name if "/" in name and not name.startswith(("/", "Etc/")) else ""


class Demo(BaseModel):
    """How a demonstration differs from a usual contest of its game. `settings`: by section and
    name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    teams: int = 12
    settings: Mapping[str, Mapping[str, Any]] = {}


def demo(name: str) -> Demo:
    """How to show this game in a minute on two cores."""
    if name == DEFAULT_GAME:
        return Demo(teams=41)
    preset = files(__name__).joinpath(f"{name}.toml")
    sections = tomllib.loads(preset.read_text(encoding="utf-8")) if preset.is_file() else {}
    return Demo.model_validate(sections.get("demo", {}))


def _dates(calendar: Mapping[str, Any], now: datetime) -> Dates:
    return Dates.model_validate({name: _moment(now, **day) for name, day in calendar.items()})


def _moment(now: datetime, days: int, at: time | None = None) -> datetime:
    """A date of the calendar, for a contest that is set up now. `at`: None = the same time of
    day."""
    moment = now.replace(microsecond=0) + timedelta(days=days)
    return moment if at is None else datetime.combine(moment.date(), at, UTC)


def _fitting(info: GameInfo) -> Mapping[str, Any]:
    return {
        "contest": {
            "title": f"{info.title} contest",
            "subject_word": info.name if " " in info.title else info.title,
        },
        "game": {"name": info.name},
        "tournament": {"format": _format(info), "self_play": False},
        "evolution": {"enabled": False},
        "site": {"programs": False},
    }


def _format(info: GameInfo) -> str:
    """The name of a format that suits every game with these facts."""
    if not info.play.has_moves:
        return Exact.name
    return Melee.name if info.max_seats > 2 else RoundRobin.name
