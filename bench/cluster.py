"""What a contest day on a cluster costs in processor time, beside the same day on this computer alone.

This computer is too small to show a speed-up, so processor time is counted. A cluster's share is what the
workers need for the games alone of what they use in all: so much of an added core is gained. The organizer's
computer can feed so many cores as its own share allows.
"""

from __future__ import annotations

import os
import resource
import tempfile
from dataclasses import dataclass
from pathlib import Path

from compiler.builders.text import TextBuilder
from contest import presets
from contest.config.sections import Cluster as ClusterSettings
from contest.config.sections import Mail
from contest.protocols import BuildResult
from knobeln.contest_day.run import contest_day
from sandbox.program_folder import Executable
from tests.support.cluster import cluster
from tests.support.contest_field import NOW, make_contest, settings
from tournament.runners import open_runner

GAME = "cooperation"
SAMPLES = Path(__file__).parents[1] / "knobellib" / "opponents" / GAME
PROGRAMS = ("always_cooperate.sh", "grudger.pl", "tit_for_tat.py", "two_tits.sh")
TEAMS = 16
MIN_SHARE = 0.8


@dataclass(frozen=True)
class Used:
    """Seconds of processor time: of this process, and of the processes that it started."""

    own: float
    others: float

    @classmethod
    def so_far(cls) -> Used:
        own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return cls(own.ru_utime + own.ru_stime, others.ru_utime + others.ru_stime)

    def since(self, before: Used) -> Used:
        return Used(self.own - before.own, self.others - before.others)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        built = _built()
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


def _built() -> dict[str, BuildResult[Executable]]:
    builder = TextBuilder(presets.settings(GAME, NOW), open_runner)
    description = "It plays as its first lines say.\n" * 6
    return {name: builder.build({name: (SAMPLES / name).read_bytes()}, description) for name in PROGRAMS}


def _played(folder: Path, built: dict[str, BuildResult[Executable]], there: ClusterSettings) -> Used:
    """What the contest day used."""
    chosen = presets.settings(GAME, NOW).model_copy(
        update={"cluster": there, "mail": Mail(listen_port=0), "dates": settings().dates}
    )
    contest = make_contest(folder, TEAMS, built, chosen)
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
