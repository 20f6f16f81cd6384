"""`make bench`: speed as ratios to peers that are measured in the same run.

Wall times depend on what else the host does, so processor time stands beside them. Ways take turns
in one run, because a host is not equally fast in every minute; a ratio is that of two medians.
"""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.promises import TABLE, as_text, is_worse, promises

HEAD = "| stage | ours | limit or peer in the same run | ratios |\n|---|---|---|---|"
_CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


class Spent(NamedTuple):
    """Seconds by the clock, and of all processors together."""

    seconds: float
    cpu_seconds: float

    def per(self, count: float) -> Spent:
        return Spent(self.seconds / count, self.cpu_seconds / count)

    def __str__(self) -> str:
        return f"{_time(self.seconds)}, {_time(self.cpu_seconds)} of a core"


def spent(work: Callable[[], object]) -> Spent:
    """Do the work; return what this process and its descendants spent on it."""
    cpu, begin = cpu_seconds_of(os.getpid()), time.perf_counter()
    work()
    return Spent(time.perf_counter() - begin, cpu_seconds_of(os.getpid()) - cpu)


class Bench:
    """Prints the rows of the table, and remembers which stages are worse than promised.

    `is_quick`: each way is measured a few times or once, for an impression that proves nothing.
    """

    def __init__(self, *, is_quick: bool) -> None:
        self.is_quick = is_quick
        self.worse: list[str] = []
        self._promises = promises(TABLE.read_text())

    def compare(
        self, stage: str, runs: int, ways: Mapping[str, Callable[[], Spent]], per: float = 1
    ) -> None:
        """Print a row of the table, with the medians. One way is "ours"; each works `per` times.

        Ratios are our time by the peer's, by the clock and of processors; below 1 we are faster.
        """
        taken: dict[str, list[Spent]] = {name: [] for name in ways}
        for _ in range(max(1, runs // 10) if self.is_quick else runs):
            for name, way in ways.items():
                taken[name].append(way())
        costs = {
            name: Spent(*map(median, zip(*runs, strict=True))).per(per)
            for name, runs in taken.items()
        }
        ours = costs.pop("ours")
        promised = self._promises.get(stage, [])
        peers, ratios = [], []
        for place, (name, peer) in enumerate(costs.items()):
            peers.append(f"{name} {peer}")
            pair = ours.seconds / peer.seconds, ours.cpu_seconds / (peer.cpu_seconds or 1)
            limits = promised[place] if place < len(promised) else ()
            ratios.append(
                f"{pair[0]:.2f}, {pair[1]:.2f}"
                + (f" (promised {as_text(limits)})" if limits else "")
                + (" **worse**" if is_worse(pair, limits) else "")
            )
            if is_worse(pair, limits):
                self.worse.append(f"{stage}, beside {name}")
        print(f"| {stage} | {ours} | {'; '.join(peers)} | {'; '.join(ratios)} |", flush=True)


def _time(seconds: float) -> str:
    """The time in the unit that fits."""
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"


def output_of(command: Sequence[str | Path], data: bytes) -> bytes:
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def children_seconds(work: Callable[[], object]) -> float:
    """The processor time of children that the work has started, and that have ended."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cpu_seconds_of(root: int) -> float:
    """The processor time of this process, its descendants, and those of them that have ended."""
    parents, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            process = int(stat.parent.name)
            # Exactly, where /proc has hundredths of a second: CPUCLOCK_SCHED of
            # clock_getcpuclockid(3).
            used[process] = (
                time.clock_gettime((~process << 3) | 2)
                + sum(map(int, fields[13:15])) / _CLOCK_TICKS
            )
        except OSError:
            continue
        parents[process] = int(fields[1])
    family = {root}
    for process in sorted(parents):
        if parents[process] in family:
            family.add(process)
    return sum(used[process] for process in family)
