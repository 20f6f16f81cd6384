"""Sentences about games, for the stories that replays tell. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from contest.language import ngettext, number


def result(names: Sequence[str], points: Sequence[int]) -> str:
    """Say who won a game of two by points.

    >>> result(["a", "b"], [12, 8]), result(["a", "b"], [3, 3])
    ('a won by 12 points to 8', 'nobody won, at 3 points each')
    """
    first, second = points
    if first == second:
        return ngettext("nobody won, at %(num)s point each", "nobody won, at %(num)s points each", first)
    return ngettext(
        "%(winner)s won by %(num)s point to %(least)s",
        "%(winner)s won by %(num)s points to %(least)s",
        max(first, second),
        winner=names[0] if first > second else names[1],
        least=number(min(first, second)),
    )
