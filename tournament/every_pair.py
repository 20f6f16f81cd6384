"""Play every program against every other, in one game whose random numbers follow from the two
programs alone.

So a table of such games is the same on every host, and for whoever plays them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from contest.config.settings import Settings
from contest.interfaces.protocols import Images, RunnerFactory
from contest.model import GameJob, GameResult
from contest.seeds import Seeds
from tournament import referee

Pair = tuple[str, str]
"""The digests of two builds, by seat."""

_CHUNK_GAMES = 20_000  # their results are in memory at the same time


def number_of_pairs(programs: int) -> int:
    return programs * (programs - 1) // 2


def games_of_all_pairs(
    digests: Sequence[str],
    images: Images,
    settings: Settings,
    seeds: Seeds,
    open_runner: RunnerFactory,
) -> Iterator[tuple[Pair, GameResult]]:
    """Yield a game of each pair of these builds; the one that comes first in `digests` has the
    first seat.

    Raises EngineFailed as the runner does.
    """
    pairs = combinations(digests, 2)
    with open_runner({digest: images[digest] for digest in digests}, settings, seeds) as runner:
        while chunk := list(islice(pairs, _CHUNK_GAMES)):
            jobs = [_job(pair, seeds) for pair in chunk]
            yield from zip(chunk, referee.carry_out(jobs, runner), strict=True)


def _job(pair: Pair, seeds: Seeds) -> GameJob:
    first, second = (seeds.stream(f"{'/'.join(pair)}/seat/{seat}") for seat in (0, 1))
    return GameJob(pair, (first, second), names=pair)
