"""Run a compiler a second time if the host may have killed it.

If memory is short, the kernel kills some process; if the host stalls, the wall clock runs on. The program is
to blame for neither, and neither is likely to happen twice in a row. A program that breaks its compiler does
so every time.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

from sandbox.sandbox import Ending, Limits, SandboxResult

_KILLED = b"Killed"  # gcc's driver and the shell print this about a killed child


def run(run_once: Callable[[], SandboxResult], limits: Limits) -> SandboxResult:
    """Call it again if the first result tells nothing about the program. `limits`: those it runs with."""
    before = time.monotonic()
    result = run_once()
    return run_once() if may_be_our_fault(result, time.monotonic() - before, limits) else result


def may_be_our_fault(result: SandboxResult, seconds: float, limits: Limits) -> bool:
    """Whether it was killed before it can have used up its CPU time, or got too little CPU."""
    if result.ending is Ending.MEMORY_LIMIT:  # the program's own limit, not the host's memory
        return False
    if result.ending is Ending.WALL_LIMIT:
        return True
    killed = result.ending is Ending.SIGNAL and result.code == signal.SIGKILL
    return (killed or _KILLED in result.stderr) and not result.succeeded and seconds < limits.cpu_seconds
