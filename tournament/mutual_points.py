"""Pairs and rings whose members win far more points together than with anybody else. Pure.

Programs that recognise each other, for example by a secret sign, can share points or give them to one of
them. What counts for a pair are the points that both win in their game, by what either gives the other: 400
to 0 counts as much as 200 to 200. Where nearly every pair wins much together, as in a field of cooperators,
no pair stands out.

For each program the pairs with all its opponents are sorted. Its *favourites* are the first j of them, if a
gap separates them from the others. How large a gap is by chance follows from the values below it. In an
exponential tail with the scale s, which is heavier than that of bounded points, the gap after the j-th value
is exponential with the scale s/j (Rényi 1953). The m gaps below give an estimate of s. With it, the chance
of a gap g is (1 + j g / (m s))**-m. A pair is shown if each of the two is a favourite of the other, and if
the geometric mean of the two chances is so small that among all programs and all j only EXPECTED_BY_CHANCE
such gaps are expected where all play for themselves. One value can make both gaps, so their chances are not
multiplied. The mean is small only if one of the two chances is, so the bound holds for it, too.

Residuals of an additive model, with a median deviation, do not find rings here. The points of a game have a
nearly constant sum, so what an honest program loses to those who exploit it varies as much as presents do.

Source: A. Rényi, On the theory of order statistics, Acta Math. Acad. Sci. Hung. 4 (1953).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from contest.model import Match

EXPECTED_BY_CHANCE = 0.05  # programs with favourites, in a contest without any ring
MAX_FAVOURITES = 10  # of one program; and at most an eighth of its opponents

_TAIL_SHARE = 10  # the tail are a tenth of the others ...
_MIN_TAIL = 5  # ... and at least so many
_LEAST_SCALE = 1 / 200  # of the range of all values: equal values are no reason for a verdict


@dataclass(frozen=True)
class FavouredPair:
    """Two programs that win more together than either wins together with others. Points per game.

    `one_elsewhere`: the most that `one` and anybody who is not among its favourites won together.
    """

    one: str
    other: str
    one_points: float
    other_points: float
    one_elsewhere: float
    other_elsewhere: float


@dataclass(frozen=True)
class Ring:
    """Programs that are connected by such pairs; two or more."""

    members: tuple[str, ...]
    pairs: tuple[FavouredPair, ...]


class _Favourites(NamedTuple):
    names: frozenset[str]
    elsewhere: float  # the largest value of the others
    evidence: float  # -ln of the chance of such a gap


def rings(matches: Iterable[Match]) -> tuple[Ring, ...]:
    """The rings among those who played these matches, in order of their names. Only games of two count."""
    points = _mean_points(matches)
    together: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for (one, other), own in points.items():
        together[one][other] = own + points[other, one]
    values = [value for row in together.values() for value in row.values()]
    if not values:
        return ()
    least_scale = (max(values) - min(values)) * _LEAST_SCALE
    found = {name: _favourites(row, least_scale) for name, row in together.items()}
    needed = math.log(len(found) / EXPECTED_BY_CHANCE)
    pairs = [
        FavouredPair(
            one,
            other,
            own,
            points[other, one],
            found[one].elsewhere,
            found[other].elsewhere,
        )
        for (one, other), own in sorted(points.items())
        if one < other
        and other in found[one].names
        and one in found[other].names
        and (found[one].evidence + found[other].evidence) / 2 >= needed
    ]
    return _connected(pairs)


def _mean_points(matches: Iterable[Match]) -> Mapping[tuple[str, str], float]:
    """What each player won per game against each other one, in the games that counted."""
    won: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for match in matches:
        players = match.pairing.seating(match.game)
        if match.counted and len(players) == 2 and players[0] != players[1]:
            one, other = match.result.seats
            won[players[0], players[1]].append(one.points)
            won[players[1], players[0]].append(other.points)
    return {pair: sum(games) / len(games) for pair, games in won.items()}


def _favourites(row: Mapping[str, float], least_scale: float) -> _Favourites:
    """Those opponents of a program, at the top, whose gap to the others is least likely by chance."""
    order = sorted(row, key=lambda name: (-row[name], name))
    most = max(1, min(MAX_FAVOURITES, len(order) // 8))
    candidates = [_Favourites(frozenset(), 0.0, 0.0)]
    for number, (last, _) in enumerate(pairwise(order[: most + 1]), start=1):
        others = [row[name] for name in order[number:]]
        evidence = _evidence(row[last], number, others, least_scale) - math.log(most)
        candidates.append(_Favourites(frozenset(order[:number]), others[0], evidence))
    return max(candidates, key=lambda each: each.evidence)


def _evidence(last: float, number: int, others: Sequence[float], least_scale: float) -> float:
    """-ln of the chance of so large a gap between the first `number` values and the others.

    `last`: the least of the first; `others`: the values below it, the largest first.
    """
    gap = last - others[0]
    ties = sum(value == others[0] for value in others)
    tail = max(_MIN_TAIL, len(others) // _TAIL_SHARE, ties if ties < len(others) else 0)
    if gap <= 0 or len(others) <= tail:
        return 0.0
    above = [value - others[tail] for value in others[:tail]]
    scale = max(least_scale, (sum(above) + number * above[0]) / tail)  # k times the k-th gap, from all values
    return tail * math.log1p(number * gap / (tail * scale))


def _connected(pairs: Sequence[FavouredPair]) -> tuple[Ring, ...]:
    groups: list[tuple[set[str], list[FavouredPair]]] = []
    for pair in pairs:
        touched = [group for group in groups if {pair.one, pair.other} & group[0]]
        members = {pair.one, pair.other}.union(*(names for names, _ in touched))
        together = [each for _, several in touched for each in several]
        groups = [group for group in groups if group not in touched]
        groups.append((members, [*together, pair]))
    found = (Ring(tuple(sorted(names)), tuple(several)) for names, several in groups)
    return tuple(sorted(found, key=lambda ring: ring.members))
