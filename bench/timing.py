"""Time by the clock beside processor time, which does not depend on what else the host does."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

_CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


class Spent(NamedTuple):
    """Seconds by the clock, and of all processors together."""

    seconds: float
    cpu_seconds: float


def spent(work: Callable[[], object]) -> Spent:
    """Do the work; return what this process and its descendants spent on it."""
    cpu, begin = cpu_seconds_of(os.getpid()), time.perf_counter()
    work()
    return Spent(time.perf_counter() - begin, cpu_seconds_of(os.getpid()) - cpu)


def children_seconds() -> float:
    """The processor time of our children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def cpu_seconds_of(root: int) -> float:
    """The processor time of this process, its descendants, and those of them that have ended."""
    parents, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        process = int(stat.parent.name)
        parents[process] = int(fields[1])
        used[process] = _own_cpu_seconds(process) + sum(map(int, fields[13:15])) / _CLOCK_TICKS
    family = {root}
    for process in sorted(parents):
        if parents[process] in family:
            family.add(process)
    return sum(used[process] for process in family)


def _own_cpu_seconds(process: int) -> float:
    """Exactly, where /proc has hundredths of a second."""
    try:
        return time.clock_gettime((~process << 3) | 2)  # CPUCLOCK_SCHED: clock_getcpuclockid(3)
    except OSError:
        return 0.0
