"""A compiler that was ended by the computer, not by its program's fault, is asked once more.

Where memory is short the system ends some process, and where a computer stands still for a while the wall
clock runs on. Neither is a program's doing, and neither is likely twice running; what a program does to its
compiler, it does every time.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Mapping, Sequence

from sandbox.sandbox import Ending, Limits, Sandbox, SandboxResult

_KILLED = b"Killed"  # what gcc's driver and the shell say of a child that was


def run(
    sandbox: Sandbox,
    command: Sequence[str],
    *,
    files: Mapping[str, bytes],
    environment: Mapping[str, str],
    folders: Sequence[str] = (),
    limits: Limits,
) -> SandboxResult:
    """As Sandbox.run does it, and a second time where the first says nothing about the program."""
    before = time.monotonic()
    result = sandbox.run(command, files=files, environment=environment, folders=folders, limits=limits)
    if not may_be_ours(result, time.monotonic() - before, limits):
        return result
    return sandbox.run(command, files=files, environment=environment, folders=folders, limits=limits)


def may_be_ours(result: SandboxResult, seconds: float, limits: Limits) -> bool:
    """Whether it was killed before its CPU time can have been used up, or only had too little of the CPU."""
    if result.ending is Ending.WALL_LIMIT:
        return True
    killed = result.ending is Ending.SIGNAL and result.code == signal.SIGKILL
    return (killed or _KILLED in result.stderr) and not result.succeeded and seconds < limits.cpu_seconds
