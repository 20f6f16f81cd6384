"""Folders: private ones, published ones, those for one piece of work, and those that the program
ships with.

A contest's folder holds the seed, the teams' secrets, programs and passwords: only its owner may
read it. What is published everybody may read, whatever the umask: that of a service closes all
files to others.

The maker of a scratch folder holds a lock on it, which the system releases when the maker ends,
however that happens. So a folder that can be locked is left over, and the next process removes it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_PUBLIC_FOLDER, _PUBLIC_FILE = 0o755, 0o644
_SCRATCH = ".knobeln-scratch-"
_CORE = Path(__file__).parents[1]


def make_folder(folder: Path, mode: int = 0o700) -> None:
    """Make the folder, and the folders above that are missing, with this mode, whatever the
    umask."""
    for missing in reversed([place for place in (folder, *folder.parents) if not place.exists()]):
        with suppress(FileExistsError):  # another process was quicker
            missing.mkdir(mode=0o700)
            missing.chmod(mode)


def make_public_folder(folder: Path) -> None:
    """Make the folder, and the folders above that are missing, so that everybody may enter and list
    them.

    Those that are there keep their rights.
    """
    make_folder(folder, _PUBLIC_FOLDER)


def new_public_file(path: Path) -> BinaryIO:
    """Open a new file that everybody may read, in a folder for everybody. Raises
    FileExistsError."""
    make_public_folder(path.parent)
    file = path.open("xb")
    os.fchmod(file.fileno(), _PUBLIC_FILE)
    return file


def make_private(folder: Path) -> None:
    """Take all rights of others away from the folder and from its owner's files and folders in it.

    No database in it may be open: SQLite loses its locks if the same process closes the file.
    Raises OSError if the folder is another user's.
    """
    owner = folder.stat().st_uid
    folder.chmod(stat.S_IMODE(folder.stat().st_mode) & ~_OTHERS)
    for descriptor in _entries(folder):
        facts = os.fstat(descriptor)
        if facts.st_uid == owner and facts.st_mode & _OTHERS:
            with suppress(PermissionError):
                os.fchmod(descriptor, stat.S_IMODE(facts.st_mode) & ~_OTHERS)


def hand_over(folder: Path, user: int, group: int) -> None:
    """Give the folder, and what belongs to root in it, to this user. For root only; no database may
    be open.

    A file with a second name elsewhere stays root's: its other name may be a file of the system.
    """
    for descriptor in _entries(folder):
        facts = os.fstat(descriptor)
        if facts.st_uid == 0 and (stat.S_ISDIR(facts.st_mode) or facts.st_nlink == 1):
            os.fchown(descriptor, user, group)


def _entries(folder: Path) -> Iterator[int]:
    """Descriptors of the folder, and of each folder and plain file in it; no link is followed."""
    for _path, _folders, files, here in os.fwalk(folder):
        for name in files:
            with suppress(OSError):  # it has gone, or it is not ours
                if stat.S_ISREG(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
                    descriptor = os.open(
                        name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here
                    )
                    try:
                        yield descriptor
                    finally:
                        os.close(descriptor)
        yield here


def sync_file(file: Path) -> None:
    """Make the file's contents durable."""
    descriptor = os.open(file, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Make the folder's list of names durable; fsync of a file in it does not do that."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def scratch_folder(within: Path | None = None) -> Iterator[Path]:
    """A new folder for us alone, in `within` or the folder for temporary files; it is removed at
    the end.

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
    for left in within.glob(f"{_SCRATCH}*"):
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
    """Return a new folder, and the descriptor that holds its lock."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=within))
        with suppress(FileNotFoundError):  # somebody swept it before we held the lock
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.exists():
                return folder, lock
            os.close(lock)


def shipped(path: str) -> Path:
    """Return where "alembic", "docs/games", "docs/team" or "tools/system-packages" is."""
    installed = _CORE / path
    return installed if installed.exists() else _CORE.parent / path
