"""Names that files of programs may have (L16), and the placeholders in the commands of languages.
Pure.

A team's kit has this module, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

MAX_FILES = 40  # of one program, with its text files
MAX_DEPTH = 10  # parts of a path: Java's packages are deep
MAX_PATH_CHARS = 160

ARCHIVES = (".tar", ".tar.gz", ".tgz")
"""Suffixes of the archive of a container image (M11), and of a program's files."""

IMAGE_NAME = "image.name"  # a file that holds only the name of an image in a registry

_SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
_HEADERS = ("h", "hh", "hpp", "hxx")


def is_safe(name: str) -> bool:
    """Return whether the name means the same file on every system, and nothing to a shell."""
    return _SAFE.fullmatch(name) is not None


def is_safe_path(path: str) -> bool:
    """Return whether this is a safe name, or a path of safe names below the program's folder."""
    parts = path[: MAX_PATH_CHARS + 1].split("/")
    return len(path) <= MAX_PATH_CHARS and len(parts) <= MAX_DEPTH and all(map(is_safe, parts))


def colliding(paths: Iterable[str]) -> tuple[str, str] | None:
    """Two of the paths that some file system takes for one: `A.py` and `a.py`, or a file and a
    folder."""
    known: dict[str, str] = {}
    ordered = sorted(paths)
    for path in ordered:
        if (other := known.setdefault(path.casefold(), path)) != path:
            return other, path
    for path in ordered:
        for folder in folders_above(path):
            if other := known.get(folder.casefold(), ""):
                return other, path
    return None


def folders_above(path: str) -> Iterator[str]:
    """Yield the folders that the path leads through, the nearest one first: a/b and a of
    a/b/c.py."""
    parent = path.rpartition("/")[0]
    while parent:
        yield parent
        parent = parent.rpartition("/")[0]


def suffix_of(path: str) -> str:
    """Return the suffix of a file's name, in small letters and without its dot."""
    return PurePosixPath(path).suffix.lower().removeprefix(".")


def is_archive(name: str) -> bool:
    """Return whether this is a name for the archive of an image."""
    return name.lower().endswith(ARCHIVES)


# --- commands -------------------------------------------------------------------------------------
PLACEHOLDERS = {
    "tool": "the language's program on this host, e.g. /usr/bin/python3",
    "home": "the folder that contains its folder `bin`",
    "program": "the file that the program starts with, in the working folder",
    "stem": "its name without the suffix",
    "class": "in Java, the class that has the method `main`, with its package",
    "result": "the file that the build makes",
    "memory": "the program's memory in MB",
    "bytes": "the same in bytes",
}
"""What the words of commands may contain in braces."""

SOURCES, INCLUDES = "{sources}", "{includes}"
LISTS = {
    SOURCES: "all files in the language, first the one that the program starts with",
    INCLUDES: "an option -I or -idirafter for each folder of the program that has headers",
}
"""Words of commands that stand for several words."""


def placeholder_values(
    tool: str, home: Path, program: str, result: str, memory_mb: int, start_class: str = ""
) -> Mapping[str, str]:
    """Return the values for all placeholders. `home`: where the tool is installed."""
    stem = PurePosixPath(program).stem
    return {
        "tool": tool,
        "home": str(home),
        "program": program,
        "stem": stem,
        "class": start_class or stem,
        "result": result,
        "memory": str(memory_mb),
        "bytes": str(memory_mb * 2**20),
    }


def command_words(
    command: Sequence[str],
    values: Mapping[str, str],
    files: Iterable[str] = (),
    suffixes: Sequence[str] = (),
) -> list[str]:
    """Return the words of a language's command, for a program with these files. `suffixes`: the
    language's."""
    names = sorted(files)
    program = values["program"]
    lists = {
        SOURCES: [program, *(n for n in names if n != program and suffix_of(n) in suffixes)],
        INCLUDES: _header_options(names),
    }
    words: list[str] = []
    for word in command:
        words += lists[word] if word in lists else [word.format(**values)]
    return words


def _header_options(names: Sequence[str]) -> list[str]:
    """Options for the folders with headers, and those above them, as `#include "parts/board.h"` is
    read.

    Headers beside the program come after the compiler's own: `<string.h>` stays what it is.
    """
    headers = [name for name in names if suffix_of(name) in _HEADERS]
    folders = sorted({folder for name in headers for folder in folders_above(name)})
    beside = ["-idirafter", "."] if headers else []
    return [f"-I{folder}" for folder in ([".", *folders] if folders else [])] + beside
