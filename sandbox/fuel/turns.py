"""Who may ask programs at a time: usually everybody, or one alone, of all processes of this user here.

Everybody goes through the gate into the room. Whoever wants to be alone shuts the gate first, so that the
room becomes empty. Both are locks of files, which end with their process.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

from sandbox.fuel.engine import fuel_cache


class Turns:
    """The turns of one worker; the files are opened at its first turn."""

    @cached_property
    def _files(self) -> tuple[int, int]:
        gate, room = (
            os.open(fuel_cache() / name, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            for name in ("gate", "room")
        )
        return gate, room

    @contextmanager
    def among_others(self) -> Iterator[None]:
        gate, room = self._files
        fcntl.flock(gate, fcntl.LOCK_SH)
        fcntl.flock(room, fcntl.LOCK_SH)
        fcntl.flock(gate, fcntl.LOCK_UN)
        try:
            yield
        finally:
            fcntl.flock(room, fcntl.LOCK_UN)

    @contextmanager
    def alone(self) -> Iterator[None]:
        gate, room = self._files
        fcntl.flock(gate, fcntl.LOCK_EX)
        fcntl.flock(room, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(room, fcntl.LOCK_UN)
            fcntl.flock(gate, fcntl.LOCK_UN)

    def close(self) -> None:
        for each in self.__dict__.pop("_files", ()):
            os.close(each)
