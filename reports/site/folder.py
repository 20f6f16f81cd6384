"""The folder of the pages: files that are complete or absent, and only rewritten when they change.

Everybody may read them, also a web server that has a user of its own.

A list of the folder's files, `.knobeln-site.json`, says what each was made of. So what the contest
has no page for any more is removed, and nothing else is: other files in the folder are left alone.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from contest.errors import GiveUp
from contest.util.folders import new_public_file

LIST = ".knobeln-site.json"


class SiteFolder:
    """One writing of the pages: `put` or `keep` each file, then `finish`."""

    def __init__(self, path: Path) -> None:
        """Raises GiveUp for a folder with files in it that are not ours."""
        self._path = path
        self._before = _read_list(path)
        self._now: dict[str, str] = {}
        self.written = 0
        if not (path / LIST).exists():  # so that a folder left half full is known as ours
            write_at_once(path / LIST, b"{}")

    def keep(self, file: str, key: str) -> bool:
        """Return whether this file is there, made from what `key` names; if so, keep it."""
        if self._before.get(file) != key or not (self._path / file).is_file():
            return False
        self._now[file] = key
        return True

    def has(self, file: str) -> bool:
        """Whether this writing has the file."""
        return file in self._now

    def put(self, file: str, data: bytes, key: str = "") -> None:
        """Write a file made from what `key` names. Without a key, equal contents stay as they
        are."""
        known = key or hashlib.sha256(data).hexdigest()
        if key or self._before.get(file) != known or not (self._path / file).is_file():
            write_at_once(self._path / file, data)
            self.written += 1
        self._now[file] = known

    def finish(self) -> int:
        """Remove files that no longer belong to the pages. Returns the number of files that are
        left."""
        for file in self._before.keys() - self._now.keys():
            if self._contains(file):
                (self._path / file).unlink(missing_ok=True)
        if self._now != self._before:
            text = json.dumps(self._now, indent=0, sort_keys=True)
            write_at_once(self._path / LIST, text.encode())
        return len(self._now)

    def _contains(self, file: str) -> bool:
        """Whether this file is in the folder: a link may lead out of it, and the list may be
        another's."""
        return (self._path / file).parent.resolve().is_relative_to(self._path.resolve())


def write_at_once(path: Path, data: bytes) -> None:
    """Write the file so that readers see the old one or the new one, never a part. Everybody may
    read it."""
    half = path.with_name(f".{path.name}.new")
    half.unlink(missing_ok=True)  # of a process that was killed
    with new_public_file(half) as file:
        file.write(data)
    os.replace(half, path)


def _read_list(path: Path) -> dict[str, str]:
    """Read what each file was made from the last time, by file."""
    if path.exists() and not path.is_dir():
        raise GiveUp(f"{path} is no folder: the pages need one of their own")
    file = path / LIST
    if not file.exists():
        if path.is_dir() and any(path.iterdir()):
            raise GiveUp(
                f"{path} has files in it that are not pages of ours: the pages need a folder of"
                " their own"
            )
        return {}
    try:
        stamps = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        return {}  # the list is damaged (disk full, or edited): write everything anew
    if not isinstance(stamps, dict):
        return {}
    return {name: key for name, key in stamps.items() if isinstance(key, str) and _is_below(name)}


def _is_below(name: str) -> bool:
    """Whether this names a file in the folder, and nothing elsewhere that we would remove."""
    return not name.startswith("/") and ".." not in name.split("/")
