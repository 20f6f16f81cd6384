"""From games to a ranking: failures, points and ranks. Pure.

A completed game gives points to its sides; any other game leaves only its failures (K72).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from contest.model import Match, Standing

FAILURES_ALLOWED = 1  # "Any strategy is allowed to fail once per round" (K70)


def culprits(match: Match) -> AbstractSet[str]:
    """Return the entries that failed in this game, any number; a self-game is one failure at most
    (K75)."""
    return {name for name, seat in match.sides if seat.verdict.is_charged}


def failures(matches: Iterable[Match]) -> Counter[str]:
    """Failures per entry over all attempts; those of games that are not counted stay charged
    (K75)."""
    # of tens of thousands, a few
    flawed = [match for match in matches if not match.result.is_flawless]
    return Counter(name for match in flawed for name in culprits(match))


def disqualified(failed: Mapping[str, int]) -> AbstractSet[str]:
    """Return the entries that failed more often than a round allows (K73)."""
    return {name for name, times in failed.items() if times > FAILURES_ALLOWED}


def banned_in(standings: Iterable[Standing]) -> AbstractSet[str]:
    """Return the entries that the organizer took out before the first game of this table."""
    return {line.entry for line in standings if line.disqualified and not line.failures}


def half_points(names: Collection[str], matches: Iterable[Match]) -> dict[str, int]:
    """Own points of each entry from its counted matches, in half points (K13).

    A match that is not counted gives nothing (K73).
    """
    points = dict.fromkeys(names, 0)
    for match in matches:
        if match.counted:
            for name, half in match.half_points:
                points[name] += half
    return points


def ranked(points: Mapping[str, int]) -> tuple[tuple[int, str], ...]:
    """(rank, name) best first; equal points share a rank, in the order of their names (K77)."""
    ordered = sorted(points, key=lambda name: (-points[name], name))
    ranks = ranks_of([points[name] for name in ordered])
    return tuple(zip(ranks, ordered, strict=True))


def ranks_of(values: Sequence[object]) -> list[int]:
    """Ranks from 1 for values sorted best first: 9 7 7 5 -> 1 2 2 4."""
    ranks: list[int] = []
    for place, value in enumerate(values, start=1):
        tied = place > 1 and value == values[place - 2]
        ranks.append(ranks[-1] if tied else place)
    return ranks


def standing_list(
    members: Collection[str],
    matches: Iterable[Match],
    failed: Mapping[str, int],
    out: AbstractSet[str],
    advancing: AbstractSet[str],
) -> tuple[Standing, ...]:
    """Return a group's table: the ranked best first, then the disqualified by name, with no rank
    and no points."""
    points = half_points([name for name in members if name not in out], matches)
    return table(ranked(points), points, failed, out, advancing)


def table(
    order: Iterable[tuple[int, str]],
    points: Mapping[str, int],
    failed: Mapping[str, int],
    out: AbstractSet[str],
    advancing: AbstractSet[str],
) -> tuple[Standing, ...]:
    """Return a table in this order, given as (rank, name); `points` are half points."""
    lines = [
        Standing(
            entry=name,
            half_points=points[name],
            rank=rank,
            failures=failed.get(name, 0),
            disqualified=False,
            advances=name in advancing,
        )
        for rank, name in order
    ]
    lines += [
        Standing(
            entry=name,
            half_points=0,
            rank=None,
            failures=failed.get(name, 0),
            disqualified=True,
            advances=False,
        )
        for name in sorted(out)
    ]
    return tuple(lines)
