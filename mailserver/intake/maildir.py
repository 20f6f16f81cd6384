"""Takes letters from a Maildir on this host, where the mail system puts them.

A letter is moved out of `new/` only after it is committed; one that comes twice is recognised by its bytes.
"""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from contest.config.sections import Pickup
from contest.errors import ConfigError, TryAgain
from contest.log import log
from mailserver.intake.accept import AcceptFound
from mailserver.intake.envelope import without_body

_SEEN = ":2,S"
_SEEN_AND_FLAGGED = ":2,FS"
_HEADER_BYTES = 65_536


class MaildirUnreachable(TryAgain):
    """The folder cannot be read, or letters that were taken cannot be moved away."""


class Maildir:
    """The Maildir `pickup.maildir`; `take_next` is a loop's body."""

    def __init__(self, settings: Pickup, folder: Path, max_bytes: int, accept: AcceptFound) -> None:
        """`folder` is the contest's."""
        self._root = folder / settings.maildir
        self._processed = _subfolder(self._root, settings.processed_folder)
        self._failed = _subfolder(self._root, settings.failed_folder)
        self._max_bytes = max_bytes
        self._accept = accept
        self._unreadable: set[str] = set()

    def check(self) -> int:
        """How many letters wait. Raises ConfigError or MaildirUnreachable."""
        if not (self._root / "new").is_dir():
            raise ConfigError(f"pickup.maildir: {self._root} is no Maildir: it has no folder new/")
        for box in (self._root / "new", self._root / "cur"):
            if not os.access(box, os.R_OK | os.W_OK | os.X_OK):
                raise MaildirUnreachable(f"we may not read and write in {box}")
        return len(self._waiting())

    def take_next(self) -> bool:
        """Take the oldest letter; False: none waits. Raises StoreBusy, MaildirUnreachable."""
        return any(self._take(self._root / "new" / name) for name in self._waiting())

    def _waiting(self) -> list[str]:
        """Oldest first: names begin with the time."""
        try:
            names = os.listdir(self._root / "new")
        except OSError as error:
            raise MaildirUnreachable(f"pickup.maildir cannot be read: {error}") from error
        return sorted(name for name in names if not name.startswith("."))

    def _take(self, path: Path) -> bool:
        found = self._read(path)
        if found is None:
            return False
        is_complete = found.size_bytes <= self._max_bytes
        raw = found.raw if is_complete else without_body(found.raw, found.size_bytes, self._max_bytes)
        self._accept(raw, found.arrived_at)
        try:
            if is_complete:
                _move(path, self._processed, _SEEN)
            else:
                _move(path, self._failed, _SEEN_AND_FLAGGED)
        except OSError as error:
            raise MaildirUnreachable(
                f"letters that were taken cannot be moved within {self._root}: {error}"
            ) from error
        return True

    def _read(self, path: Path) -> _FoundLetter | None:
        """What `_read` finds; None for a file that we leave alone: one bad file does not stop the others."""
        try:
            return _read(path, self._max_bytes)
        except FileNotFoundError:
            return None  # somebody else took it away meanwhile
        except OSError as error:
            if path.name not in self._unreadable:
                self._unreadable.add(path.name)
                log.error("letter not taken", error=str(error))
            return None


def _subfolder(root: Path, name: str) -> Path:
    """Folders of a Maildir are its neighbours with a dot in front (Maildir++); no name = itself."""
    return root / f".{name}" if name else root


class _FoundLetter(NamedTuple):
    """A file of the Maildir. `raw`: the letter, or its beginning if it is too large."""

    raw: bytes
    size_bytes: int
    arrived_at: datetime


def _read(path: Path, most: int) -> _FoundLetter | None:
    """The letter in this file; None if it is no regular file."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            return None
        raw = file.read(most if facts.st_size <= most else _HEADER_BYTES)
    return _FoundLetter(raw, facts.st_size, datetime.fromtimestamp(facts.st_mtime, UTC))


def _move(path: Path, folder: Path, flags: str) -> None:
    for box in ("tmp", "new", "cur"):
        (folder / box).mkdir(mode=0o700, parents=True, exist_ok=True)
    path.rename(folder / "cur" / (path.name.partition(":")[0] + flags))
