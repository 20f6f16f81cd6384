"""How long a contest day takes, from the freezing of the entries to the last report in the outbox.

Beside it, as the limit that nothing can beat: the same games alone, on the same engine with as many workers;
and the turns that Axelrod-Python plays in a second, before and after.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from bench.axelrod_turns import turns_per_second
from bench.contest_field import SEED, compile_house, make_contest, settings
from knobeln.cli.contest_day import contest_day
from knobeln.cli.folder import ContestFolder
from knobeln.clock import Seeds
from knobeln.model import RoundOutcome
from knobeln.store import results, submissions
from knobeln.store.results import Games
from sandbox.jail import Jail
from sandbox.machine.translation import translations
from tournament.arenas import open_arena
from tournament.referee import game_job

SIZES = (41, 1_000)
THROWS = 1_000  # per game


def main() -> None:
    programs = compile_house()
    for built in programs.values():
        assert built.image is not None
        translations().add(built.image, Jail())
    cores = os.cpu_count() or 1
    print(f"contest day on {cores} cores: games of 1000 throws, database and all mails included")
    for size in SIZES:
        with tempfile.TemporaryDirectory() as scratch:
            folder = make_contest(Path(scratch), size, programs, settings(workers=0))
            before = turns_per_second()
            started, spent = time.perf_counter(), _processor_seconds()
            contest_day(folder).run()
            day, spent = time.perf_counter() - started, _processor_seconds() - spent
            with folder.store.read() as tx:
                rounds = results.finished_rounds(tx, Games.ALL)
            games = sum(len(group.matches) for outcome in rounds for group in outcome.groups)
            alone = sum(_play_again(folder, outcome) for outcome in rounds)
            print(
                f"  {size:5} teams  {day:6.1f} s   {games:6} games in {len(rounds)} rounds   "
                f"{games / day / cores:5.0f} games per second and core   "
                f"games alone {alone:6.1f} s   ratio {day / alone:.2f}   processor time {spent:.1f} s"
            )
            _beside_axelrod(THROWS * games / day, before)


def _processor_seconds() -> float:
    """Of this process and of the engines that have ended."""
    return sum(os.times()[:4])


def _beside_axelrod(throws_per_second: float, before: float | None) -> None:
    after = turns_per_second()
    if before is None or after is None:
        print("              Axelrod-Python is not installed")
        return
    turns = (before + after) / 2
    print(
        f"              {throws_per_second:,.0f} throws per second; Axelrod-Python, TitForTat against "
        f"TitForTat: {turns:,.0f} turns per second   ratio {throws_per_second / turns:.1f}"
    )


def _play_again(folder: ContestFolder, outcome: RoundOutcome) -> float:
    """Seconds for the round's games alone, without protocols."""
    seeds = Seeds(SEED)
    with folder.store.read() as tx:
        digests = {entry.name: entry.image_digest for entry in submissions.all_entries(tx)}
        raw = submissions.load_images(tx, tuple(digests.values()))
    jobs = [
        game_job(outcome.plan.number, (match.pairing, match.game, match.attempt), digests, seeds, frozenset())
        for group in outcome.groups
        for match in group.matches
    ]
    with open_arena(raw, folder.settings, seeds) as arena:
        started = time.perf_counter()
        arena.play(jobs)
        return time.perf_counter() - started


if __name__ == "__main__":
    main()
