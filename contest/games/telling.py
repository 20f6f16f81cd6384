"""Sentences about games, for the stories that replays tell. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contest.plurals import plural


def both(names: Iterable[str]) -> str:
    """List names in a sentence.

    >>> both(["a"]), both(["a", "b"]), both(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def result(names: Sequence[str], points: Sequence[int]) -> str:
    """Say who won a game of two by points.

    >>> result(["a", "b"], [12, 8]), result(["a", "b"], [3, 3])
    ('a won by 12 points to 8', 'nobody won, at 3 points each')
    """
    first, second = points
    if first == second:
        return f"nobody won, at {plural(first, 'point')} each"
    winner = names[0] if first > second else names[1]
    return f"{winner} won by {plural(max(first, second), 'point')} to {min(first, second):,}"
