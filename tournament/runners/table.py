"""Games computed from tables: a game of Hog is the exact win rate of one strategy against
another."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from contest.config.settings import Settings
from contest.games.hog import WIN_RATE_UNIT, HogEntry
from contest.interfaces.protocols import Images, ProgressCallback, Runner
from contest.model import GameJob, GameResult, SeatResult, Verdict
from contest.seeds import Seeds
from contest.subprocesses.hog_solver import win_rates
from tournament.behaviour import together
from tournament.runners.plugin import RunnerPlugin


class TablePlay(RunnerPlugin):
    def open(
        self, images: Images, settings: Settings, _seeds: Seeds, progress: ProgressCallback
    ) -> AbstractContextManager[Runner]:
        entries = {digest: HogEntry.from_bytes(raw) for digest, raw in images.items()}
        return nullcontext(partial(play_tables, entries, settings.tournament.workers, progress))

    def behaviour_twins(
        self, images: Images, settings: Settings, build_c: Callable[[str], tuple[str, bytes]]
    ) -> tuple[tuple[str, ...], ...]:
        """By their tables, which are all that strategies do."""
        return together(
            {digest: HogEntry.from_bytes(raw).table for digest, raw in sorted(images.items())}
        )


def play_tables(
    entries: Mapping[str, HogEntry],
    workers: int,
    progress: ProgressCallback,
    jobs: Sequence[GameJob],
) -> Sequence[GameResult]:
    """Compute win rates (H10). Raises EngineFailed when the solver keeps failing.

    Points are trillionths: what a seat wins of WIN_RATE_UNIT games when a coin says who begins.
    """
    digests = sorted({digest for job in jobs for digest in job.images})
    number = {digest: place for place, digest in enumerate(digests)}
    pairs = [(number[job.images[0]], number[job.images[1]]) for job in jobs]
    rates = win_rates([entries[digest] for digest in digests], pairs, workers, progress)
    return list(map(_result, rates))


def _result(rate: float) -> GameResult:
    first = round(rate * WIN_RATE_UNIT)
    seats = tuple(SeatResult(points, Verdict.OK, None) for points in (first, WIN_RATE_UNIT - first))
    return GameResult(seats, 0, hashlib.sha256(rate.hex().encode()).hexdigest()[:16])


PLUGIN = TablePlay()
