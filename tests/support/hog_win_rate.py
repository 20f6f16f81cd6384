"""The win rate of Hog straight from the rules: the definition that the fast solver is compared
with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Generic, TypeVar

from contest.games.hog import TURNS, HogEntry, Pair, hog_pile, odds

Number = TypeVar("Number", float, Fraction)


@dataclass(frozen=True)
class Position:
    """A game before a turn. Players are 0 and 1. `turn` counts all turns, also extra ones (H7)."""

    scores: tuple[int, int] = (0, 0)
    player: int = 0
    turn: int = 0
    extra: bool = False  # the player has this turn because of Time Trot

    @property
    def own(self) -> int:
        return self.scores[self.player]

    @property
    def opponent(self) -> int:
        return self.scores[1 - self.player]


def sow_sad(faces: Sequence[int]) -> int:
    """The points of a roll of at least one die: the sum of the faces, or 1 if any face is a 1
    (H4)."""
    return 1 if 1 in faces else sum(faces)


def after(position: Position, dice: int, points: int) -> Position:
    """The position after a turn in which the player rolled `dice` dice and got `points`.

    As many dice as the turn's number earn an extra turn (H7); 8 or more never do.
    """
    score = hog_pile(position.own + points, position.opponent)
    scores = (score, position.scores[1]) if position.player == 0 else (position.scores[0], score)
    again = dice == position.turn % TURNS and not position.extra
    return Position(
        scores, position.player if again else 1 - position.player, position.turn + 1, again
    )


def winner(position: Position, goals: Pair) -> int | None:
    """The player that has reached its own goal (H8); None while the game goes on."""
    return next((player for player in (0, 1) if position.scores[player] >= goals[player]), None)


def win_rate(first: HogEntry, second: HogEntry, number: type[Number]) -> Number:
    """How often `first` beats `second` when a fair coin says who begins (H10), straight from the
    rules.

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
