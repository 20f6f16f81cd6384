"""The win rate of Hog straight from the rules: the definition that the fast solver is compared with."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Generic, TypeVar

from contest.games.hog import TURNS, HogEntry, Position, after, odds, winner

Number = TypeVar("Number", float, Fraction)


def win_rate(first: HogEntry, second: HogEntry, number: type[Number]) -> Number:
    """How often `first` beats `second` when a fair coin says who begins (H10), straight from the rules.

    Exact with Fraction, for goals of a dozen or so; with float, goals of 50 take seconds.
    """
    chances = _Chances((first, second), number)
    return (chances.of_first(Position(player=0)) + chances.of_first(Position(player=1))) / 2


class _Chances(Generic[Number]):
    """The chance of player 0 in every position that two entries can get into."""

    def __init__(self, entries: tuple[HogEntry, HogEntry], number: type[Number]) -> None:
        self._entries = entries
        self._goals = (entries[0].goal, entries[1].goal)
        self._number: Callable[[Fraction | int], Number] = number
        self._known: dict[Position, Number] = {}

    def of_first(self, position: Position) -> Number:
        """Ends: every turn brings a point or more, and no score ever falls."""
        won = winner(position, self._goals)
        if won is not None:
            return self._number(1 - won)
        position = replace(position, turn=position.turn % TURNS)
        if position not in self._known:
            self._known[position] = self._mean(position)
        return self._known[position]

    def _mean(self, position: Position) -> Number:
        dice = self._entries[position.player].dice(position.own, position.opponent)
        mean = self._number(0)
        for points, chance in odds(dice, position.opponent).items():
            mean += self._number(chance) * self.of_first(after(position, dice, points))
        return mean
