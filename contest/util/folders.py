"""Keep a contest's folder to its owner: it holds the seed, the teams' secrets, programs and passwords."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_folder(folder: Path, mode: int = 0o700) -> None:
    """Make the folder, and the folders above that are missing, with this mode, whatever the umask."""
    for missing in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
        with suppress(FileExistsError):  # another process was quicker
            missing.mkdir(mode=0o700)
            missing.chmod(mode)


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
    """Give the folder, and what belongs to root in it, to this user. For root only; no database may be open.

    A file with a second name elsewhere stays root's: its other name may be a file of the system.
    """
    for descriptor in _entries(folder):
        facts = os.fstat(descriptor)
        if facts.st_uid == 0 and (stat.S_ISDIR(facts.st_mode) or facts.st_nlink == 1):
            os.fchown(descriptor, user, group)


def _entries(folder: Path) -> Iterator[int]:
    """A descriptor of the folder, and of each folder and plain file in it; it follows no link."""
    for _path, _folders, files, here in os.fwalk(folder):
        for name in files:
            with suppress(OSError):  # it has gone, or it is not ours
                if stat.S_ISREG(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
                    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
                    try:
                        yield descriptor
                    finally:
                        os.close(descriptor)
        yield here
