"""Make the replay of a game of KNOBELN: throws, series, points, and the story that they tell. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from fractions import Fraction
from itertools import accumulate, groupby

from contest.games.knobeln import throw_points
from contest.games.words import who_won
from contest.language import gettext, ngettext, number
from contest.model import Match, Moves
from reports.highlights import level_stretch
from reports.replay.turns import Replay, player_names
from reports.text import percent

_PEACE = 10  # what lasts a tenth of the game is worth a word
_LEVEL = 40
_PHASE = 0.25  # of the game: a shorter phase is not told
_EDGE = 0.02  # of the game: a phase that begins or ends so near to its ends does so at them
_APART = 1 / 60  # of the throws of a game: so many may one be ahead within a phase that is shared
_ALMOST_ALL, _HARDLY = 0.85, 0.2  # of what could be won


def throw_replay(match: Match, moves: Sequence[Moves]) -> Replay:
    """Make the replay of a game with these throws; the rules give the points of each throw.

    A `>` marks the throw that begins a series (K6).
    """
    throws = [(int(a), int(b)) for a, b in moves]  # type: ignore[arg-type]
    points = [throw_points(*pair) for pair in throws]
    starts = [_starts([pair[seat] for pair in throws]) for seat in (0, 1)]
    texts = [
        [f"{'>' if at in starts[seat] else ''}{number}" for seat, number in enumerate(pair)]
        for at, pair in enumerate(throws)
    ]
    return Replay(texts, points, throw_story(player_names(match), throws), ("numbers", "points"))


def _starts(side: Sequence[int]) -> frozenset[int]:
    """Return which throws (from 0) begin a series (K6)."""
    return frozenset((0, *(at for at in range(1, len(side)) if side[at] < side[at - 1])))


def throw_story(names: Sequence[str], throws: Sequence[tuple[int, int]]) -> str:
    """Tell in a sentence the phases of a game and the result.

    Without phases: how long the two were level, and how they broke their series. They are level while they
    are apart by at most a fortieth of what the better one wins in the end, or by one throw.
    """
    points = [throw_points(*pair) for pair in throws]
    if phases := _phases(points):
        parts = [_told(names, points, phases), _race(names, points, after=True)]
    else:
        parts = [_peace(points), _race(names, points), _breaks(names, throws)]
    told = "; ".join(filter(None, parts))
    begins_with_a_name = any(told.startswith(f"{name} ") for name in names)
    return f"{told if begins_with_a_name else told[:1].upper() + told[1:]}."


# --- phases ------------------------------------------------------------------------------------------------
class Kind(Enum):
    """What happened in a phase."""

    SHARED = auto()  # both won about the same, and together almost all that could be won
    ONE_SIDED = auto()
    NOTHING = auto()  # hardly a point was won


@dataclass(frozen=True)
class _Phase:
    """Throws `first` to `last`, from 1. `seat`: who won the points, of a one-sided phase."""

    kind: Kind
    first: int
    last: int
    seat: int = 0

    @property
    def length(self) -> int:
        return self.last - self.first + 1


def _phases(points: Sequence[tuple[int, int]]) -> list[_Phase]:
    """The two longest phases of the game, the earlier one first; each is at least a quarter of the game.

    What can be won in a throw is what the best throw of the game brought.
    """
    best, shortest = max(map(max, points), default=0), len(points) * _PHASE
    if not best:
        return []
    gains = tuple(zip(*points, strict=True))
    shared = level_stretch(gains, best * max(2, len(points) * _APART))
    found = []
    if shared.points >= _ALMOST_ALL * best * (shared.last - shared.first + 1):
        found.append(_Phase(Kind.SHARED, shared.first, shared.last))
    for seat in (0, 1):
        # The sum of these is positive where the seat won more than four points in five.
        first, last = _highest([pair[seat] - 4 * pair[1 - seat] for pair in points])
        if sum(map(sum, points[first - 1 : last])) >= best * (last - first + 1) / 2:
            found.append(_Phase(Kind.ONE_SIDED, first, last, seat))
    found.append(_Phase(Kind.NOTHING, *_highest([best * _HARDLY - sum(pair) for pair in points])))
    kept: list[_Phase] = []
    # What was shared has no sharp ends, so it gives way to the others.
    for phase in sorted(found, key=lambda p: (p.kind is Kind.SHARED, -p.length, p.first)):
        rest = _beside(_to_ends(phase, len(points)), kept)
        kept += [rest] if rest.length >= shortest else []
    longest = sorted(kept, key=lambda p: (-p.length, p.first))[:2]
    return sorted(longest, key=lambda p: p.first)


def _beside(phase: _Phase, others: Sequence[_Phase]) -> _Phase:
    """What of the phase is before, or else after, those of the others that it overlaps."""
    for other in others:
        if phase.first < other.first <= phase.last:
            phase = replace(phase, last=other.first - 1)
        elif other.first <= phase.first <= other.last:
            phase = replace(phase, first=other.last + 1)
    return phase


def _to_ends(phase: _Phase, length: int) -> _Phase:
    first = 1 if phase.first <= length * _EDGE else phase.first
    return replace(phase, first=first, last=length if phase.last >= length * (1 - _EDGE) else phase.last)


def _highest(values: Sequence[float]) -> tuple[int, int]:
    """The first and the last place, from 1, of the part of the list with the highest sum; (1, 0) if none is
    above 0."""
    found, highest, start, total = (1, 0), 0.0, 1, 0.0
    for at, value in enumerate(values, start=1):
        if total <= 0:
            start, total = at, 0.0
        total += value
        if total > highest:
            found, highest = (start, at), total
    return found


def _told(names: Sequence[str], points: Sequence[tuple[int, int]], phases: Sequence[_Phase]) -> str:
    """Tell the phases; after a single one that was shared from the beginning also who won more then."""
    told = [_phase_told(names, points, phase) for phase in phases]
    rest = points[phases[-1].last :]
    margin = abs(sum(first - second for first, second in rest))
    only = phases[0] if len(phases) == 1 else None
    if only and only.kind is Kind.SHARED and only.first == 1 and margin * _PEACE > sum(map(sum, rest)):
        told.append(_rest_told(names, rest))
    if len(told) == 1:
        return told[0]
    return gettext("%(before)s; then %(after)s", before=told[0], after=told[1])


def _rest_told(names: Sequence[str], points: Sequence[tuple[int, int]]) -> str:
    totals = [sum(pair[seat] for pair in points) for seat in (0, 1)]
    (most, one), (least, other) = sorted(
        zip(totals, names, strict=True), key=lambda each: (-each[0], each[1])
    )
    return ngettext(
        "%(one)s won %(num)s point and %(other)s %(least)s",
        "%(one)s won %(num)s points and %(other)s %(least)s",
        most,
        one=one,
        other=other,
        least=number(least),
    )


def _phase_told(names: Sequence[str], points: Sequence[tuple[int, int]], phase: _Phase) -> str:
    inside = points[phase.first - 1 : phase.last]
    won = sum(map(sum, inside))
    when = _when(phase, len(points))
    if phase.kind is Kind.SHARED:
        return gettext("%(when)s the two shared %(points)s points evenly", when=when, points=number(won))
    if not won:
        return gettext("%(when)s nobody won a point", when=when)
    if phase.kind is Kind.NOTHING:
        return ngettext(
            "%(when)s both together won only %(num)s point",
            "%(when)s both together won only %(num)s points",
            won,
            when=when,
        )
    share, winner = Fraction(sum(pair[phase.seat] for pair in inside), won), names[phase.seat]
    if share == 1:
        return gettext("%(when)s %(winner)s won all points", when=when, winner=winner)
    return gettext(
        "%(when)s %(winner)s won %(share)s of the points", when=when, winner=winner, share=percent(share)
    )


def _when(phase: _Phase, length: int) -> str:
    if phase.last == length:
        if phase.first == 1:
            return gettext("from the first throw to the last")
        return gettext("from throw %(first)s on", first=number(phase.first))
    if phase.first == 1:
        return gettext("until throw %(last)s", last=number(phase.last))
    return gettext("from throw %(first)s to %(last)s", first=number(phase.first), last=number(phase.last))


# --- the race ----------------------------------------------------------------------------------------------
def _peace(points: Sequence[tuple[int, int]]) -> str:
    """Tell the longest time in which nobody won a point, if it is worth a word."""
    start, length, at = 0, 0, 0
    for quiet, run in groupby(points, key=lambda pair: not any(pair)):
        size = len(list(run))
        if quiet and size > length:
            start, length = at, size
        at += size
    if not length or length * _PEACE < len(points):
        return ""
    return gettext(
        "nobody won a point from throw %(first)s to %(last)s",
        first=number(start + 1),
        last=number(start + length),
    )


def _race(names: Sequence[str], points: Sequence[tuple[int, int]], *, after: bool = False) -> str:
    """Tell since when the winner was ahead for good, and the result.

    `after`: the phases have been told, so only who caught up is.
    """
    leads = list(accumulate(first - second for first, second in points))
    totals = [sum(pair[seat] for pair in points) for seat in (0, 1)]
    result = who_won(names, totals)
    tolerance = max(max(totals) / _LEVEL, *map(max, points)) if points else 0
    if not leads or abs(leads[-1]) <= tolerance:
        if after or not any(totals):
            return result
        return gettext("both were level to the end; %(result)s", result=result)
    sign = 1 if leads[-1] > 0 else -1
    level = max((at for at, lead in enumerate(leads, start=1) if abs(lead) <= tolerance), default=0)
    behind = max(-sign * lead for lead in leads)
    told = {
        "winner": names[0] if sign > 0 else names[1],
        "least": number(min(totals)),
        "level": number(level),
        "throw": number(level + 1),
    }
    if behind > tolerance:
        return ngettext(
            "%(winner)s was behind by up to %(behind)s, led from throw %(throw)s on, and "
            "won by %(num)s point to %(least)s",
            "%(winner)s was behind by up to %(behind)s, led from throw %(throw)s on, and "
            "won by %(num)s points to %(least)s",
            max(totals),
            behind=ngettext("%(num)s point", "%(num)s points", behind),
            **told,
        )
    if after:
        return result
    if level * _PEACE < len(points):
        return ngettext(
            "%(winner)s led from throw %(throw)s on and won by %(num)s point to %(least)s",
            "%(winner)s led from throw %(throw)s on and won by %(num)s points to %(least)s",
            max(totals),
            **told,
        )
    return ngettext(
        "both were level until throw %(level)s; then %(winner)s pulled away and won by %(num)s point to "
        "%(least)s",
        "both were level until throw %(level)s; then %(winner)s pulled away and won by %(num)s points to "
        "%(least)s",
        max(totals),
        **told,
    )


def _breaks(names: Sequence[str], throws: Sequence[tuple[int, int]]) -> str:
    """Tell how often each began a further series; "" where both did so about equally often."""
    first, second = (len(_starts([pair[seat] for pair in throws])) - 1 for seat in (0, 1))
    if not first and not second:
        return gettext("neither broke its series")
    most, least = max(first, second), min(first, second)
    if 2 * most < 3 * least:
        return ""
    one, other = names if first > second else reversed(names)
    return gettext(
        "%(one)s broke its series %(often)s, %(other)s %(seldom)s",
        one=one,
        often=_times(most),
        other=other,
        seldom=_times(least),
    )


def _times(times: int) -> str:
    few = (gettext("never"), gettext("once"), gettext("twice"))
    return few[times] if times < len(few) else gettext("%(number)s times", number=number(times))
