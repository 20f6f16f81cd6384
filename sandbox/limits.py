"""The limits of a sandboxed program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What a sandboxed program may use. The limits on CPU time, memory and files hold for each process."""

    cpu_seconds: int = 10
    wall_seconds: float = 20.0  # for `Sandbox.run`; a program that is asked has a deadline for each question
    address_space_bytes: int = 512 * 1024 * 1024
    file_bytes: int = 4 * 1024 * 1024
    work_bytes: int = 16 * 1024 * 1024  # all files in the writable folder together
    processes: int = 16  # threads count
    open_files: int = 64
    # `Sandbox.run`: standard output, and as much again of standard error; `Sandbox.open`: each answer
    output_bytes: int = 4 * 1024 * 1024
