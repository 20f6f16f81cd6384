"""Make the replay of a game of KNOBELN: throws, series, points, and the story that they tell.
Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import inf

from contest.games.knobeln import throw_points
from contest.games.words import who_won
from contest.language import gettext, ngettext, number
from contest.model import Match, Moves
from reports.replay.turns import Replay, player_names
from reports.text import opening

_SHORT = 10  # who leads after a tenth of the game led from the beginning
_LEVEL = 40


def throw_replay(match: Match, moves: Sequence[Moves]) -> Replay:
    """Make the replay of a game with these throws; the rules give the points of each throw.

    A `>` marks the throw that begins a series (K6).
    """
    throws = [(int(a), int(b)) for a, b in moves]  # type: ignore[arg-type]
    points = [throw_points(*pair) for pair in throws]
    sides = [_marked([pair[seat] for pair in throws]) for seat in (0, 1)]
    texts = list(map(list, zip(*sides, strict=True)))
    return Replay(texts, points, throw_story(player_names(match), throws), ("numbers", "points"))


def _marked(side: Sequence[int]) -> list[str]:
    """The throws of one side; a series begins with the first, and wherever they fall (K6)."""
    befores = (inf, *side)
    pairs = zip(befores, side, strict=False)
    return [f">{throw}" if throw < before else str(throw) for before, throw in pairs]


def throw_story(names: Sequence[str], throws: Sequence[tuple[int, int]]) -> str:
    """Tell in a sentence how long the two were level, and the result.

    They are level while they are apart by at most a fortieth of what the better one wins in the
    end, or by one throw.
    """
    story = _race(names, [throw_points(*pair) for pair in throws])
    begins_with_a_name = any(story.startswith(f"{name} ") for name in names)
    return f"{story if begins_with_a_name else opening(story)}."


def _race(names: Sequence[str], points: Sequence[tuple[int, int]]) -> str:
    """Tell since when the winner was ahead for good, and the result."""
    leads = list(accumulate(first - second for first, second in points))
    totals = [sum(pair[seat] for pair in points) for seat in (0, 1)]
    result = who_won(names, totals)
    tolerance = max(max(totals) / _LEVEL, *map(max, points)) if points else 0
    if not leads or abs(leads[-1]) <= tolerance:
        if not any(totals):
            return result
        return gettext("both were level to the end; %(result)s", result=result)
    sign = 1 if leads[-1] > 0 else -1
    level = max(
        (throw for throw, lead in enumerate(leads, start=1) if abs(lead) <= tolerance), default=0
    )
    behind = max(-sign * lead for lead in leads)
    values = {
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
            **values,
        )
    if level * _SHORT < len(points):
        return ngettext(
            "%(winner)s led from throw %(throw)s on and won by %(num)s point to %(least)s",
            "%(winner)s led from throw %(throw)s on and won by %(num)s points to %(least)s",
            max(totals),
            **values,
        )
    return ngettext(
        "both were level until throw %(level)s; then %(winner)s pulled away and won by %(num)s"
        " point to %(least)s",
        "both were level until throw %(level)s; then %(winner)s pulled away and won by %(num)s"
        " points to %(least)s",
        max(totals),
        **values,
    )
