"""Names that files of programs may have (L16), and the placeholders in the commands of languages.
Pure.

A team's kit has this module, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

MAX_FILES = 20  # of one program, with its text files

ARCHIVES = (".tar", ".tar.gz", ".tgz")
"""Suffixes of the archive of a container image (M11)."""

IMAGE_NAME = "image.name"  # a file that holds only the name of an image in a registry

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


def is_safe(name: str) -> bool:
    """Whether the name means the same file on every system, and nothing to a shell."""
    return _SAFE.fullmatch(name) is not None


def is_archive(name: str) -> bool:
    """Whether this is a name for the archive of an image."""
    return name.lower().endswith(ARCHIVES)


PLACEHOLDERS = {
    "tool": "the language's program on this host, e.g. /usr/bin/python3",
    "home": "the folder that contains its folder `bin`",
    "program": "the file that was sent, in the working folder",
    "stem": "its name without the suffix",
    "result": "the file that the build makes",
    "memory": "the program's memory in MB",
    "bytes": "the same in bytes",
}
"""What the words of commands may contain in braces."""


def placeholder_values(
    tool: str, home: Path, program: str, result: str, memory_mb: int
) -> Mapping[str, str]:
    """The values for all placeholders. `home`: where the tool is installed."""
    return {
        "tool": tool,
        "home": str(home),
        "program": program,
        "stem": PurePosixPath(program).stem,
        "result": result,
        "memory": str(memory_mb),
        "bytes": str(memory_mb * 2**20),
    }
