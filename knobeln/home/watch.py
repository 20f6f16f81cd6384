"""Watch files until Ctrl-C, and tell when somebody has saved them."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType, TracebackType

_SECONDS = 0.5  # between two looks


class Watch:
    """Notices changes of these files, and of the files in these folders, from now on.

    In its context Ctrl-C raises KeyboardInterrupt, even if the signal was ignored before. Python drops what
    is raised while a finalizer runs; `wait` raises it again.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._seen = _state(paths)
        self._is_interrupted = False

    def __enter__(self) -> Watch:
        self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        self._is_interrupted = True
        raise KeyboardInterrupt

    def wait(self) -> None:
        """Return when something has changed since the last look. Raises KeyboardInterrupt after Ctrl-C."""
        while True:
            if self._is_interrupted:
                raise KeyboardInterrupt
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
