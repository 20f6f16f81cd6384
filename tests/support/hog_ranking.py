"""The ranking of Hog by match points, counted in the plainest way."""

from collections.abc import Mapping
from itertools import combinations

from contest.games.hog import MATCH_POINT, Pair


def all_pairs(entries: int) -> list[Pair]:
    return list(combinations(range(entries), 2))


def ranking(entries: int, rates: Mapping[Pair, float]) -> list[tuple[int, int, int]]:
    """Rank, entry and match points, best first (H11). `rates`: of the first of each pair."""
    points = [0] * entries
    for (first, second), rate in rates.items():
        points[first] += rate > MATCH_POINT
        points[second] += 1 - rate > MATCH_POINT
    order = sorted(range(entries), key=lambda entry: -points[entry])
    return [(1 + sum(more > points[each] for more in points), each, points[each]) for each in order]
