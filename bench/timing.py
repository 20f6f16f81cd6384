"""Time by the clock beside processor time, which does not depend on what else the host does."""

from __future__ import annotations

import os
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
    """Do the work; return what this process and its children that have ended spent on it."""
    cpu, begin = sum(os.times()[:4]), time.perf_counter()
    work()
    return Spent(time.perf_counter() - begin, sum(os.times()[:4]) - cpu)


def cpu_seconds_of(root: int) -> float:
    """The processor time of this process, its descendants, and those of them that have ended."""
    parents, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        process = int(stat.parent.name)
        parents[process], used[process] = int(fields[1]), sum(map(int, fields[11:15]))
    family = {root}
    for process in sorted(parents):
        if parents[process] in family:
            family.add(process)
    return sum(used[process] for process in family) / _CLOCK_TICKS
