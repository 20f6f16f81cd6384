"""Read contest.toml, or say what is wrong in it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from contest.config.passwords import read_passwords
from contest.config.remains import DATABASE, remains
from contest.config.settings import ENVIRONMENT, Settings
from contest.errors import ConfigError
from contest.util.plurals import did_you_mean
from contest.util.wrong_values import words_of

FILE_NAME = "contest.toml"


def load_settings(folder: Path) -> Settings:
    """Return the settings of the contest in this folder.

    Raises ConfigError, naming the file, every wrong setting with its line, and what is wrong with
    it.
    """
    path = folder / FILE_NAME
    if not path.is_file():
        raise ConfigError(f"there is no {FILE_NAME} in {folder.resolve()}", hint=_hint(folder))

    try:
        text = path.read_text(encoding="utf-8")
        sections = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from None
    except ValueError:  # Python reads no such number
        raise ConfigError(f"{path}: a number in it has thousands of digits") from None
    for name, passwords in read_passwords(folder).items():
        sections[name] = {**sections.get(name, {}), **passwords}
    try:
        return Settings(**sections)
    except ValidationError as error:
        raise ConfigError(f"{path}:\n{faults(error, text)}") from None


def _hint(folder: Path) -> str:
    """Return how to get a contest.toml. A folder that had one must get it back, and no new
    contest."""
    if (folder / DATABASE).exists() or remains(folder):
        return (
            "a contest is there, or was: put its contest.toml back, or `knobeln restore` a backup"
        )
    return "`knobeln init DIR` makes one, -C DIR finds it"


def faults(error: ValidationError, text: str = "") -> str:
    """Return what is wrong with the settings, a line for each; `text`: of the file in which they
    are."""
    return "\n".join(_fault(problem, text) for problem in error.errors())


# Kinds of errors about a value that is no secret: passwords are texts.
_SHOWN = ("int", "float", "bool", "literal", "enum", "greater", "less")


def _fault(error: ErrorDetails, text: str) -> str:
    """Return a line about what is wrong with a setting."""
    *section, name = error["loc"] or ("",)
    message = words_of(error)
    if error["type"] == "extra_forbidden":
        near = did_you_mean(str(name), _names_in(section))
        message = "there is no such setting" + (f"; {near}" if near else "")
    value = f" = {error['input']!r:.60}" if error["type"].startswith(_SHOWN) else ""
    setting = f"{'.'.join(map(str, error['loc']))}{value}: {message}"
    variable = f"{ENVIRONMENT}{'__'.join(map(str, error['loc']))}".upper()
    if variable in map(str.upper, os.environ):
        return f"  {setting} (given as {variable})"
    # What is wrong with a section names the settings that do not fit together.
    named = [word for word in message.split() if word in _names_in(error["loc"])]
    return f"  {_line(text, (*error['loc'], *named[-1:]))}{setting}"


def _line(text: str, setting: Sequence[int | str]) -> str:
    """`line N: ` with the line of the file on which the setting begins; "" if the file does not
    have it.

    A beginning of the file that ends within a value is no TOML. So the setting begins after the
    last beginning that is TOML and lacks it.
    """
    lines, start = text.split("\n"), 1
    for number in range(1, len(lines) + 1):
        try:
            section: Any = tomllib.loads("\n".join(lines[:number]))
            for step in setting:
                section = section[step]
        except tomllib.TOMLDecodeError:
            continue
        except (KeyError, IndexError, TypeError):
            start = number + 1
        else:
            return f"line {start}: "
    return ""


def _names_in(section: Sequence[int | str]) -> tuple[str, ...]:
    """Return the names of the settings in this section, or of the sections; () if the section takes
    any name."""
    model: Any = Settings
    for name in section:
        field = getattr(model, "model_fields", {}).get(name)
        model = field and field.annotation
    return tuple(getattr(model, "model_fields", ()))
