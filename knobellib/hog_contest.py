"""What strategies of Hog may import: dice, and the rules of a turn, under the names of the course.

Strategies find it as `dice`, `hog` and `hog_contest`. It imports nothing of ours. A strategy that
rolls a die is refused, because it answers differently each time; that it imports one does no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from random import randint

Die = Callable[[], int]
Strategy = Callable[[int, int], int]

GOAL = GOAL_SCORE = 100
_TURN_OF_SEVENTH = "142857"  # the digits of 1/7


# --- dice -----------------------------------------------------------------------------------------
def make_fair_dice(sides: int) -> Die:
    """A die that shows 1 to `sides`, each as often."""
    return lambda: randint(1, sides)  # noqa: S311 - no secret


four_sided, six_sided = make_fair_dice(4), make_fair_dice(6)


def make_test_dice(*outcomes: int) -> Die:
    """A die that shows these numbers, over and over."""
    shown: Iterator[int] = cycle(outcomes)
    return lambda: next(shown)


# --- a turn ---------------------------------------------------------------------------------------
def roll_dice(num_rolls: int, dice: Die = six_sided) -> int:
    """The points for so many dice, at least one: 1 if any shows a 1 (Sow Sad), else their sum."""
    shown = [dice() for _ in range(num_rolls)]
    return 1 if 1 in shown else sum(shown)


def picky_piggy(score: int) -> int:
    """The points for no dice, at this score of the opponent."""
    return int(_TURN_OF_SEVENTH[(score - 1) % 6]) if score else 7


def take_turn(num_rolls: int, opponent_score: int, dice: Die = six_sided) -> int:
    """The points for a turn."""
    return roll_dice(num_rolls, dice) if num_rolls else picky_piggy(opponent_score)


def hog_pile(player_score: int, opponent_score: int) -> int:
    """The points for equal scores, after those of the turn were added."""
    return player_score if player_score == opponent_score else 0


def next_player(who: int) -> int:
    """The other one of the players 0 and 1."""
    return 1 - who


# --- strategies -----------------------------------------------------------------------------------
def always_roll(n: int) -> Strategy:
    """The strategy that always rolls so many dice."""
    return lambda score, opponent_score: n


def picky_piggy_strategy(
    score: int, opponent_score: int, cutoff: int = 8, num_rolls: int = 6
) -> int:
    """No dice where that brings `cutoff` points or more, else `num_rolls`."""
    return 0 if picky_piggy(opponent_score) >= cutoff else num_rolls


def hog_pile_strategy(score: int, opponent_score: int, cutoff: int = 8, num_rolls: int = 6) -> int:
    """The same, and no dice where that doubles the score."""
    points = picky_piggy(opponent_score)
    brings = points + hog_pile(score + points, opponent_score)
    return 0 if brings >= cutoff else num_rolls
