"""The limits of a sandboxed program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

MB = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """What a sandboxed program may use. CPU time, address space and files are limited for each process.

    Where the host has groups (groups.py), `memory_bytes` and `processes` hold for all of its processes.
    """

    cpu_seconds: int = 10
    wall_seconds: float = 20.0  # for `Sandbox.run`; a program that is asked has a limit for each question
    address_space_bytes: int = 512 * MB
    reserved_bytes: int = 0  # address space besides, which a program reserves and does not use
    file_bytes: int = 4 * MB
    work_bytes: int = 16 * MB  # all files in the writable folder together
    processes: int = 16  # threads count
    open_files: int = 64
    # `Sandbox.run`: standard output, and as much again of standard error; `Sandbox.open`: each answer
    output_bytes: int = 4 * MB

    @property
    def memory_bytes(self) -> int:
        """What all processes may use, with the files in the writable folder: no less than one may."""
        return self.address_space_bytes + self.work_bytes


class Usage(NamedTuple):
    """What a whole sandbox used; None if nobody counted.

    `peak_memory_bytes` has files in memory in it, also those of the system that it was the first to read.
    """

    peak_memory_bytes: int | None = None
    memory_limit_bytes: int = 0
    cpu_seconds: float | None = None
    out_of_memory: bool = False  # its own limit was reached, and a process of it was killed for that


NOT_COUNTED = Usage()
