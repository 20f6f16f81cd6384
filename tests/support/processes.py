"""Processes that end with the tests, and what the kernel tells of those of this computer."""

import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from contest.subprocesses import child_process
from contest.subprocesses.child_process import Process

# wherever the PATH of a test leads
UNTIL_WE_END = (str(shutil.which("setpriv")), "--pdeathsig", "TERM")
"""In front of a command: it is ended when we are, also by a signal that lets no test clear up."""


def start(
    command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
) -> Process:
    return child_process.start([*UNTIL_WE_END, *command], log, environment)


def children_of(pid: int) -> set[int]:
    tasks = Path(f"/proc/{pid}/task")
    try:
        return {
            int(child)
            for task in tasks.iterdir()
            for child in (task / "children").read_text().split()
        }
    except OSError:  # it ended while we looked
        return set()


class ProcessorTime:
    """What all processes below one have taken, as far as we have looked: nobody waits for one that
    is killed with its sandbox."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._seconds: dict[int, float] = {}

    def look(self) -> float:
        waiting = [self._root]
        while waiting:
            pid = waiting.pop()
            waiting += children_of(pid)
            with suppress(OSError):  # it ended while we looked
                # CPUCLOCK_SCHED of the process: clock_getcpuclockid(3)
                self._seconds[pid] = time.clock_gettime((~pid << 3) | 2)
        return sum(self._seconds.values())


def threads_of(pid: int) -> set[int]:
    try:
        return {int(task.name) for task in Path(f"/proc/{pid}/task").iterdir()}
    except OSError:  # it ended while we looked
        return set()


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it ended while we looked
        return b""


def is_running(pid: int) -> bool:
    """Whether the process is there and not only waits to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
