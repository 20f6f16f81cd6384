"""Names that files from strangers may have (L16), for mail server and compiler. Pure."""

from __future__ import annotations

import re

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
