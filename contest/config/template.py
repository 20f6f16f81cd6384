"""Write contest.toml from the settings, each below a comment that says what it means."""

from __future__ import annotations

import json
from datetime import UTC, datetime, time, timedelta
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from contest.config.settings import Settings
from contest.formats import formats_described
from contest.schema.sections import Dates


def usual_dates(today: datetime) -> Dates:
    """Return the calendar of 1994 from today: registration opens now, the deadlines are at noon
    Universal Time."""
    noon = datetime.combine(today.date(), time(12), UTC)
    start = noon + timedelta(days=53)
    return Dates(
        registration_opens=today.replace(microsecond=0),
        compilation_opens=today.replace(microsecond=0),
        registration_closes=start - timedelta(days=2),
        compilation_closes=start - timedelta(hours=2),
        contest_starts=start,
        results_published=start + timedelta(days=7),
    )


def settings_template(settings: Settings) -> str:
    """Return the text of a contest.toml with these settings, each below a comment that says what it
    means.

    Secrets have their defaults instead: they may come from the environment so that no file has
    them.
    """
    parts = [
        "# The settings of this contest, each below a comment on its meaning. Times are Universal"
        " Time.\n"
    ]
    for name in Settings.model_fields:
        section = getattr(settings, name)
        parts.append(f"\n# {_in_a_line(section.__doc__)}\n[{name}]\n")
        for key, info in type(section).model_fields.items():
            value = getattr(section, key) if info.repr else info.default
            parts.append(f"# {description_of(info)}\n{key} = {toml_value(value)}\n")
    return "".join(parts)


def description_of(setting: FieldInfo) -> str:
    """Return what a setting means, in a line."""
    return _in_a_line(setting.description).replace("{formats}", formats_described())


def _in_a_line(docstring: str | None) -> str:
    return " ".join((docstring or "").split())


def toml_value(value: Any) -> str:
    """Return the value as contest.toml writes it after the `=`."""
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, tuple):
        # In a list TOML allows a table one line only, so each has its own.
        has_tables = any(isinstance(part, BaseModel) for part in value)
        ends = ("[\n    ", ",\n    ", ",\n]") if has_tables else ("[", ", ", "]")
        return ends[0] + ends[1].join(map(toml_value, value)) + ends[2]
    if isinstance(value, BaseModel):
        pairs = (f"{key} = {toml_value(part)}" for key, part in value if part is not None)
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, dict):
        return (
            "{ "
            + ", ".join(f"{json.dumps(key)} = {toml_value(part)}" for key, part in value.items())
            + " }"
        )
    # TOML requires an escape for this control character, JSON does not.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
