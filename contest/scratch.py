"""Folders for the time of one piece of work. What a killed process left is removed by the next one.

A folder's maker holds a lock on it, which the system releases when the maker ends, however that happens. So a
folder that can be locked is left over.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = ".knobeln-scratch-"


@contextmanager
def scratch_folder(within: Path | None = None) -> Iterator[Path]:
    """A new folder for us alone, in `within` or the folder for temporary files; it is removed at the end.

    Folders of ours that killed processes left there are removed first.
    """
    within = within or Path(tempfile.gettempdir())
    sweep(within)
    folder, lock = _locked_folder(within)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def sweep(within: Path) -> None:
    """Remove our folders in `within` whose makers have ended."""
    for left in within.glob(f"{PREFIX}*"):
        with suppress(OSError):  # another process was quicker, or the folder is another user's
            if left.lstat().st_uid != os.geteuid():
                continue
            lock = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left)
            finally:
                os.close(lock)


def _locked_folder(within: Path) -> tuple[Path, int]:
    """A new folder, and the descriptor that holds its lock."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=within))
        with suppress(FileNotFoundError):  # somebody swept it before we held the lock
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.exists():
                return folder, lock
            os.close(lock)
