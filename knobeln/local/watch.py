"""Watch files, and tell when somebody has saved them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

_SECONDS = 0.5  # between two looks


class Watch:
    """Notices changes of these files, and of the files in these folders, from now on."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._seen = _state(paths)

    def wait(self) -> None:
        """Return when something has changed since the last look."""
        while True:
            now = _state(self._paths)
            # An editor may remove a file before it writes it anew.
            if now != self._seen and all(path.exists() for path in self._paths):
                self._seen = now
                return
            time.sleep(_SECONDS)


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
