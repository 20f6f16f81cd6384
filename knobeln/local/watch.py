"""Watch files, and tell when somebody has saved them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

_SECONDS = 0.5  # between two looks


def saves(paths: Sequence[Path]) -> Iterator[None]:
    """Yield whenever one of these files, or a file in one of these folders, has changed. Never ends."""
    before = _state(paths)
    while True:
        time.sleep(_SECONDS)
        now = _state(paths)
        # An editor may remove a file before it writes it anew.
        if now != before and all(path.exists() for path in paths):
            before = now
            yield


def _state(paths: Sequence[Path]) -> dict[Path, tuple[int, int, int]]:
    files = [file for path in paths for file in (path.iterdir() if path.is_dir() else (path,))]
    found: dict[Path, tuple[int, int, int]] = {}
    for file in files:
        try:
            facts = file.stat()
        except FileNotFoundError:
            continue
        found[file] = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
    return found
