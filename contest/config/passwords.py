"""The file of a contest's passwords, which stand neither in contest.toml nor in backups.

It has sections and settings as contest.toml has, and takes precedence over it. systemd's credential
of the same name takes the place of the file.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from contest.config.template import toml_value
from contest.errors import ConfigError

PASSWORDS = "passwords.toml"
_OTHERS = 0o077


def read_passwords(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return the settings in the file, by section; none if there is no file. Raises ConfigError."""
    given = os.environ.get("CREDENTIALS_DIRECTORY")
    credential = Path(given, PASSWORDS) if given else None
    file = credential if credential and credential.is_file() else folder / PASSWORDS
    try:
        with file.open("rb") as opened:
            # systemd guards its credentials by their folder and an access list, which looks like
            # a mode for the group
            if file is not credential and os.fstat(opened.fileno()).st_mode & _OTHERS:
                raise ConfigError(
                    f"other users of this host can read the passwords in {file}",
                    hint=f"`chmod 600 {file}`, and change them, if others have accounts here",
                )
            sections = tomllib.load(opened)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file}: {error}") from None
    if not all(isinstance(section, dict) for section in sections.values()):
        raise ConfigError(f"{file}: each setting belongs into a section, such as [imap]")
    return sections


def _section(name: str, values: Mapping[str, str]) -> str:
    lines = [f"[{name}]", *(f"{key} = {toml_value(value)}" for key, value in values.items())]
    return "\n".join(lines) + "\n"


def write_passwords(folder: Path, sections: Mapping[str, Mapping[str, str]]) -> None:
    """Write the file, for its owner's eyes alone."""
    parts = (_section(name, values) for name, values in sections.items())
    draft = folder / f".{PASSWORDS}"
    draft.unlink(missing_ok=True)
    with open(draft, "x", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write("\n".join(parts))
        file.flush()
        os.fsync(file.fileno())
    draft.replace(folder / PASSWORDS)
