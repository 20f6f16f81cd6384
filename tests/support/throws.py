"""Throws of KNOBELN judged by the rules in Python."""

from collections.abc import Iterable
from dataclasses import dataclass

from contest.games.knobeln import Knobeln, KnobelnPosition, Rules


@dataclass(frozen=True)
class JudgedThrows:
    """How far the throws went, the points, and why the next throw of each side is forbidden, if it is."""

    throws: int
    points: tuple[int, int]
    why_illegal: tuple[str | None, str | None]


def play_out(rules: Rules, throws: Iterable[tuple[int, int]]) -> JudgedThrows:
    """Judge these throws up to the L-th, to their end, or to the first that is forbidden to either side."""
    game, position = Knobeln(rules), KnobelnPosition()
    why_illegal: tuple[str | None, str | None] = (None, None)
    for first, second in throws:
        if not game.players_to_move(position):
            break
        why_illegal = game.why_illegal(position, 0, first), game.why_illegal(position, 1, second)
        if why_illegal != (None, None):
            break
        position = game.apply(position, {0: first, 1: second})
    return JudgedThrows(position.throws, (position.sides[0].points, position.sides[1].points), why_illegal)
