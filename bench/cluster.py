"""What a contest day on a cluster costs in processor time, beside the same day on this computer alone.

This computer is too small to show a speed-up, so processor time is counted. A cluster's share is what the
workers need for the games alone of what they use in all: so much of an added core is gained. The organizer's
computer can feed so many cores as its own share allows.
"""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.timing import cpu_seconds_of
from contest.config.sections import Cluster as ClusterSettings
from contest.protocols import BuildResult
from knobeln.contest_day.run import contest_day
from sandbox.executable import Executable
from tests.support.cluster import cluster
from tests.support.talking_contests import built_samples, talking_contest

GAME = "cooperation"
TEAMS = 16
MIN_SHARE = 0.8


@dataclass(frozen=True)
class Used:
    """Seconds of processor time: of this process, and of the processes that it started."""

    own: float
    others: float

    @classmethod
    def so_far(cls) -> Used:
        own = time.process_time()
        return cls(own, cpu_seconds_of(os.getpid()) - own)

    def since(self, before: Used) -> Used:
        return Used(self.own - before.own, self.others - before.others)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        built = built_samples(GAME)
        alone = _played(folder / "alone", built, ClusterSettings())
        idle = _idle(folder / "idle")
        started = Used.so_far()
        (folder / "cluster").mkdir()
        with cluster(folder / "cluster") as machines:
            machines.start_worker(processes=os.cpu_count() or 1)
            there = ClusterSettings(scheduler=machines.url, keys=str(machines.keys))
            own = _played(folder / "together", built, there).own
        used = Used.so_far().since(started)
    games = alone.own + alone.others
    workers = used.others - idle
    print(f"a day of {TEAMS} programs that talk: {games:.1f} s of processor time on this computer alone")
    print(
        f"on a cluster: {workers:.1f} s in workers and scheduler, {own:.1f} s here: "
        f"{games / (workers + own):.2f} of each core is gained (at least {MIN_SHARE}); "
        f"this computer can feed {workers / own:.0f} cores"
    )


def _played(folder: Path, built: dict[str, BuildResult[Executable]], there: ClusterSettings) -> Used:
    """What the contest day used."""
    contest = talking_contest(folder, GAME, built, TEAMS, there)
    before = Used.so_far()
    contest_day(contest).run()
    return Used.so_far().since(before)


def _idle(folder: Path) -> float:
    """What scheduler and workers use to start and to end, once a day."""
    folder.mkdir()
    before = Used.so_far()
    with cluster(folder) as machines:
        machines.start_worker(processes=os.cpu_count() or 1)
    return Used.so_far().since(before).others


if __name__ == "__main__":
    main()
