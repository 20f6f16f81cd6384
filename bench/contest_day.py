"""How long a contest day takes, from the freezing of the entries to the last report in the outbox.

Two other times are measured with it. The same games alone, on the same engine with as many workers, are the
limit that nothing can beat. Axelrod-Python is the peer: its turns per second. All three alternate several
times, because a host is not equally fast in every minute; the ratios are those of the medians.

How long it takes to tell how sure the ranking is, by the whole contest played again many times, is a figure
of its own.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from types import ModuleType
from unittest.mock import patch

from bench.axelrod_turns import turns_per_second
from bench.timing import cpu_seconds_of
from contest.model import RoundOutcome
from contest.protocols import BuildResult
from contest.seeds import Seeds
from contest.store import results, submissions
from contest.store.results import Games
from knobeln.contest_day.certainty import certainty_of
from knobeln.contest_day.run import contest_day
from knobeln.context import ContestContext
from sandbox.sandbox import Sandbox
from sandbox.vm.image import Image
from sandbox.vm.translation import translations
from tests.support.clocks import FixedClock
from tests.support.contest_field import NOW, SEED, House, make_contest, settings
from tournament.referee import Fixture, game_job
from tournament.runners import open_runner

SIZES = (41, 1_000)
RUNS = 5
CERTAINTY_SIZE, CONTESTS, MAX_CERTAINTY_SECONDS = 41, 1_000, 30
THROWS = 1_000  # per game


@dataclass(frozen=True)
class Run:
    """One contest day and what was measured with it, in seconds."""

    day: float
    processors: float  # of this process and its descendants
    alone: float
    games: int
    rounds: int
    peer: float | None  # turns per second, before and after it

    @property
    def throws(self) -> float:
        """Throws per second of the day."""
        return THROWS * self.games / self.day


def main() -> None:
    programs = house_programs()
    print(f"contest day on {os.cpu_count()} cores: games of {THROWS} throws, database and all mails included")
    print(f"(medians of {RUNS} runs, in turns with Axelrod-Python)")
    for size in SIZES:
        with tempfile.TemporaryDirectory() as scratch:
            opened = Path(scratch) / "opened"
            make_contest(opened, size, programs, settings(workers=0)).store.close()
            report(size, [_run(opened, Path(scratch) / str(number)) for number in range(RUNS)])
            if size == CERTAINTY_SIZE:
                report_certainty(opened)


def house_programs() -> dict[str, BuildResult[Image]]:
    """The house strategies, compiled and translated, as after their reports."""
    with tempfile.TemporaryDirectory() as kept:
        programs = dict(House(Path(kept)))
    for built in programs.values():
        assert built.image is not None
        translations().add(built.image, Sandbox())
    return programs


def report(size: int, runs: Sequence[Run]) -> None:
    day = median(run.day for run in runs)
    alone, processors = median(run.alone for run in runs), median(run.processors for run in runs)
    print(
        f"  {size:5} teams  {day:6.1f} s   {runs[0].games:6} games in {runs[0].rounds} rounds   "
        f"games alone {alone:6.1f} s   ratio {day / alone:.2f}   processor time {processors:.1f} s"
    )
    peers = [run.peer for run in runs if run.peer is not None]
    if not peers:
        print("               Axelrod-Python is not installed")
        return
    throws, turns = median(run.throws for run in runs), median(peers)
    ratios = sorted(run.throws / peer for run, peer in zip(runs, peers, strict=True))
    print(
        f"               {throws:,.0f} throws per second; Axelrod-Python, TitForTat against TitForTat: "
        f"{turns:,.0f} turns per second   ratio {throws / turns:.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f})"
    )


def report_certainty(opened: Path) -> None:
    contest = replace(ContestContext.open(opened), clock=FixedClock(NOW))
    play_day(contest)
    started, before = time.perf_counter(), cpu_seconds_of(os.getpid())
    left_out = certainty_of(contest, CONTESTS).left_out
    seconds, processors = time.perf_counter() - started, cpu_seconds_of(os.getpid()) - before
    contest.store.close()
    print(
        f"               played again {CONTESTS} times with other random numbers, {left_out} times "
        f"without a team: {seconds:.1f} s "
        f"(at most {MAX_CERTAINTY_SECONDS})   processor time {processors:.1f} s"
    )


def play_day(contest: ContestContext) -> None:
    """The day, without the contests with other random numbers that follow its last round.

    Each worker process imports the main module of its parent. That is next to nothing with the command
    `knobeln`, but all benchmarks here, so workers get an empty one.
    """
    with (
        patch("tournament.day.default_contests", return_value=None),
        patch.dict(sys.modules, {"__main__": ModuleType("__main__")}),
    ):
        contest_day(contest).run()


def _run(opened: Path, path: Path) -> Run:
    shutil.copytree(opened, path)
    contest = replace(ContestContext.open(path), clock=FixedClock(NOW))
    peer_before = turns_per_second()
    started, before = time.perf_counter(), cpu_seconds_of(os.getpid())
    play_day(contest)
    day, processors = time.perf_counter() - started, cpu_seconds_of(os.getpid()) - before
    peer_after = turns_per_second()
    with contest.store.read() as tx:
        rounds = results.finished_rounds(tx, Games.ALL)
    games = sum(len(group.matches) for outcome in rounds for group in outcome.groups)
    alone = sum(_play_again(contest, outcome) for outcome in rounds)
    contest.store.close()
    shutil.rmtree(path)
    return Run(day, processors, alone, games, len(rounds), _mean(peer_before, peer_after))


def _mean(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else (before + after) / 2


def _play_again(contest: ContestContext, outcome: RoundOutcome) -> float:
    """Play the round's games again, without protocols; return the seconds."""
    seeds = Seeds(SEED)
    with contest.store.read() as tx:
        digests = {entry.name: entry.image_digest for entry in submissions.all_entries(tx)}
        raw = submissions.load_images(tx, tuple(digests.values()))
    jobs = [
        game_job(outcome.plan.number, Fixture.of(match), digests, seeds, frozenset())
        for group in outcome.groups
        for match in group.matches
    ]
    with open_runner(raw, contest.settings, seeds) as runner:
        started = time.perf_counter()
        runner.play(jobs)
        return time.perf_counter() - started


if __name__ == "__main__":
    main()
