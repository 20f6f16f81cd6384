"""Throws of KNOBELN judged by the rules in Python."""

from collections.abc import Iterable
from dataclasses import dataclass

from contest.games.knobeln import Rules, throw_points, why_early_drop, why_out_of_range


@dataclass(frozen=True)
class JudgedThrows:
    """How far the throws went, the points, and why the next throw of each side is forbidden, if it
    is."""

    throws: int
    points: tuple[int, int]
    why_illegal: tuple[str | None, str | None]


def play_out(rules: Rules, throws: Iterable[tuple[int, int]]) -> JudgedThrows:
    """Judge these throws up to the L-th, to their end, or to the first that is forbidden to either
    side."""
    points, last, series, number = [0, 0], [0, 0], [0, 0], 0
    why_illegal: tuple[str | None, str | None] = (None, None)
    for pair in throws:
        if number == rules.L:
            break
        first, second = (
            _why_illegal(rules, number + 1, throw, last[seat], series[seat])
            for seat, throw in enumerate(pair)
        )
        why_illegal = first, second
        if why_illegal != (None, None):
            break
        for seat, won in enumerate(throw_points(*pair)):
            points[seat] += won
            series[seat] = series[seat] + 1 if pair[seat] >= last[seat] else 1
            last[seat] = pair[seat]
        number += 1
    return JudgedThrows(number, (points[0], points[1]), why_illegal)


def _why_illegal(rules: Rules, number: int, throw: int, last: int, series: int) -> str | None:
    """Why a side may not make this throw, its `number`-th; None if it may (K1, K7, K8)."""
    if not rules.a <= throw <= rules.b:
        return why_out_of_range(rules, number, throw)
    return (
        why_early_drop(rules, number, throw, last, series)
        if throw < last and series < rules.k
        else None
    )
