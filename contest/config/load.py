"""Read contest.toml, or say what is wrong in it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from contest.config.settings import ENVIRONMENT, Settings
from contest.errors import ConfigError

FILE_NAME = "contest.toml"


def load_settings(folder: Path) -> Settings:
    """The settings of the contest in this folder.

    Raises ConfigError, naming the file, every wrong setting, and what is wrong with it.
    """
    path = folder / FILE_NAME
    if not path.is_file():
        raise ConfigError(
            f"there is no {FILE_NAME} in {folder.resolve()}; `knobeln init DIR` makes one, -C DIR finds it"
        )

    try:
        return Settings(**tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        raise ConfigError(f"{path}:\n" + "\n".join(map(_fault, error.errors()))) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from None


def _fault(error: ErrorDetails) -> str:
    """A line about what is wrong with a setting."""
    *section, name = error["loc"] or ("",)
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        near = get_close_matches(str(name), _names_in(section), n=1)
        message = "there is no such setting" + (f"; did you mean {near[0]}?" if near else "")
    variable = f"{ENVIRONMENT}{'__'.join(map(str, error['loc']))}".upper()
    given = f" (given as {variable})" if variable in map(str.upper, os.environ) else ""
    return f"  {'.'.join(map(str, error['loc']))}: {message}{given}"


def _names_in(section: Sequence[int | str]) -> tuple[str, ...]:
    """The names of the settings in this section, or of the sections; () if the section takes any name."""
    model: Any = Settings
    for name in section:
        field = getattr(model, "model_fields", {}).get(name)
        model = field and field.annotation
    return tuple(getattr(model, "model_fields", ()))
