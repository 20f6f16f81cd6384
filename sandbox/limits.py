"""The limits of a sandboxed program, its folders, and whether it can be shown a folder of the
host."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from contest.errors import ToolMissing

MB = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """What a sandboxed program may use. CPU time, address space and files are limited for each
    process.

    Where the host has groups (groups.py), `memory_bytes` and `processes` hold for all of its
    processes.
    """

    cpu_seconds: int = 10
    # For `Sandbox.run`; a program that is asked has a limit for each question. What computes ends
    # by its processor time, so this one only says that the host is too busy.
    wall_seconds: float = 300.0
    address_space_bytes: int = 512 * MB
    reserved_bytes: int = 0  # address space besides, which a program reserves and does not use
    file_bytes: int = 4 * MB
    work_bytes: int = 16 * MB  # all files in the writable folder together
    processes: int = 16  # threads count
    open_files: int = 64
    # `Sandbox.run`: standard output, and as much again of standard error; `Sandbox.open`: each
    # answer
    output_bytes: int = 4 * MB

    @property
    def memory_bytes(self) -> int:
        """What all processes may use, with the files in the writable folder: no less than one
        may."""
        return self.address_space_bytes + self.work_bytes


COMPILER = Limits()
# Preprocessing takes milliseconds; with this limit, both steps together take at most 12 s of CPU
# time.
PREPROCESSOR = Limits(cpu_seconds=2, output_bytes=2 * MB)


class Usage(NamedTuple):
    """What a whole sandbox used; None if nobody counted.

    `peak_memory_bytes` has files in memory in it, also those of the system that it was the first to
    read.
    """

    peak_memory_bytes: int | None = None
    memory_limit_bytes: int = 0
    cpu_seconds: float | None = None
    # its own limit was reached, and a process of it was killed for that
    out_of_memory: bool = False


NOT_COUNTED = Usage()


# --- folders --------------------------------------------------------------------------------------
WORK = "/work"  # the one folder that the command may write; also its working directory and home
# Packages of the system's Python, as patterns. A sandbox shows none but those that
# `Contents.folders` names.
PYTHON_PACKAGE_FOLDERS = tuple(
    f"{above}/python3*/{folder}"
    for above in ("/usr/lib", "/usr/lib64", "/usr/local/lib")
    for folder in ("dist-packages", "site-packages")
)


def check_reachable(place: Path, user: int | None, what: str) -> None:
    """Raises ToolMissing unless the user that sandboxes run as can enter `place` and the folders
    above it.

    `user`: see Sandbox.user. `what` is kept there, for the message: a noun in the plural.
    """
    if user is None:
        return
    place = place.resolve()
    closed = [
        folder for folder in (place, *place.parents) if not os.stat(folder).st_mode & stat.S_IXOTH
    ]
    if closed:
        raise ToolMissing(
            f"{what} are started by the user {user}, who cannot enter {closed[-1]}",
            hint=f"`chmod o+x {closed[-1]}` allows it, or keep them elsewhere",
        )
