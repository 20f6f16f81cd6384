"""Describe how a strategy of KNOBELN plays, from its throws alone: the series that it throws. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class SeriesFacts:
    """Statistics of all series in some games.

    `rising`: of the throws within a series, the part (0 to 1) that is higher than the one before.
    `mean_fall`: how far a new series begins below the last throw, on average.
    """

    count: int
    mean_length: float
    shortest: int
    longest: int
    rising: float
    mean_fall: float
    lowest: int
    highest: int


def series_facts(games: Iterable[Sequence[int]]) -> SeriesFacts | None:
    """Return the statistics of one player's throws, given game by game; None if there are no throws.

    The end of the game cuts the last series, so that series counts only if it is the only one.
    """
    played = [throws for throws in games if throws]
    split = [_series(throws) for throws in played]
    whole = [series for found in split for series in (found[:-1] or found)]
    if not whole:
        return None
    lengths = [len(series) for series in whole]
    steps = [after > before for series in whole for before, after in pairwise(series)]
    falls = [first[-1] - second[0] for found in split for first, second in pairwise(found)]
    numbers = [number for throws in played for number in throws]
    return SeriesFacts(
        count=len(whole),
        mean_length=sum(lengths) / len(lengths),
        shortest=min(lengths),
        longest=max(lengths),
        rising=sum(steps) / len(steps) if steps else 0.0,
        mean_fall=sum(falls) / len(falls) if falls else 0.0,
        lowest=min(numbers),
        highest=max(numbers),
    )


def _series(throws: Sequence[int]) -> list[Sequence[int]]:
    """Split the throws of a game into its series.

    >>> _series([1, 2, 3, 1, 4])
    [[1, 2, 3], [1, 4]]
    """
    starts = [0, *(n for n in range(1, len(throws)) if throws[n] < throws[n - 1]), len(throws)]
    return [throws[start:end] for start, end in pairwise(starts)]
