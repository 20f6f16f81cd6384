"""Hog: two players roll dice in turn, each towards a goal of its own; a 1 spoils the turn.

Everything here is exact (H1 to H11): the rules of a turn, the odds of a roll, how often one strategy beats
another, and the ranking. docs/games/hog.md tells it to people.

A strategy never plays a game: it is asked once for every pair of scores, and its chance against every other
strategy counts. `contest.subprocesses.hog_solver` computes that chance; `win_rate` in
tests/support/hog_win_rate.py is its plain definition. hog_game.py is the game roll by roll.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations

from contest import standings

SCORES = 300  # a strategy is asked for own and opponent's scores 0..299; no goal is higher
MAX_DICE = 10
SIDES = 6
TURNS = 8  # Time Trot knows the turn's number up to multiples of this
LOWEST_GOAL = 50
MATCH_POINT = float(standings.MATCH_POINT)  # a match point needs a win rate strictly above this
MAX_NAME = 64
PROGRAM = "final_strategy.py"  # the file that is sent (H1)
FUNCTION = "final_strategy"  # in it
LABEL = "PLAYER_NAME"  # in it, too
WIN_RATE_UNIT = 10**12  # points of a contest for a win rate of 1

Pair = tuple[int, int]


# --- an entry ---
@dataclass(frozen=True)
class HogEntry:
    """What a strategy is to a contest. `table[own * SCORES + opponent]`: how many dice it rolls there."""

    table: bytes
    goal: int

    def __post_init__(self) -> None:
        if len(self.table) != SCORES * SCORES:
            raise ValueError(f"the table has {len(self.table):,} places, not {SCORES} x {SCORES}")
        if max(self.table) > MAX_DICE:
            raise ValueError(f"{max(self.table)} dice, but there are only {MAX_DICE}")
        if not 1 <= self.goal <= SCORES:
            raise ValueError(f"the goal {self.goal} is not in 1..{SCORES}")

    def to_bytes(self) -> bytes:
        return self.goal.to_bytes(2, "big") + self.table

    @classmethod
    def from_bytes(cls, raw: bytes) -> HogEntry:
        """Raises ValueError for anything that `to_bytes` did not write."""
        return cls(raw[2:], int.from_bytes(raw[:2], "big"))

    def dice(self, own: int, opponent: int) -> int:
        """How many it rolls at these scores, each in 0..SCORES - 1."""
        return self.table[own * SCORES + opponent]


def goal_for(size: int) -> int:
    """The score that wins, for a file of so many bytes (H8).

    In floating point, and in this order of operations: 4100 bytes are 122, where exact arithmetic has 123.

    >>> goal_for(1699), goal_for(4100), goal_for(10000)
    (50, 122, 300)
    """
    scaled = size / 10000 * 300
    return int(min(max(scaled, LOWEST_GOAL), SCORES))


def why_illegal_dice(answer: object) -> str | None:
    """Why a strategy may not answer this (H2); None if it may. True and False are not numbers of dice."""
    if type(answer) is not int:
        return f"a number of dice is an int, not a {type(answer).__name__}"
    if not 0 <= answer <= MAX_DICE:
        return f"0 to {MAX_DICE} dice can be rolled, not {'more' if answer > 0 else 'fewer'}"
    return None


def why_illegal_name(name: object) -> str | None:
    """Why this is not a valid PLAYER_NAME (H2); None if it is."""
    if not isinstance(name, str):
        return f"PLAYER_NAME is a str, not {type(name).__name__}"
    if not 1 <= len(name) <= MAX_NAME:
        return f"PLAYER_NAME has {len(name)} characters, but 1 to {MAX_NAME} are allowed"
    return None


# --- a turn ---
@dataclass(frozen=True)
class Position:
    """A game before a turn; players are 0 and 1. `turn` counts all turns, extra ones too (H7)."""

    scores: tuple[int, int] = (0, 0)
    player: int = 0
    turn: int = 0
    extra: bool = False  # the turn was earned by Time Trot

    @property
    def own(self) -> int:
        return self.scores[self.player]

    @property
    def opponent(self) -> int:
        return self.scores[1 - self.player]


def sow_sad(faces: Sequence[int]) -> int:
    """The points of a roll of one die or more: their sum, or 1 if any of them is a 1 (H4)."""
    return 1 if 1 in faces else sum(faces)


def picky_piggy(opponent: int) -> int:
    """The points of rolling no dice: the digit of 1/7 at the place of the opponent's score (H5).

    >>> picky_piggy(3), picky_piggy(14), picky_piggy(0)
    (2, 4, 7)
    """
    return int("142857"[(opponent - 1) % 6]) if opponent else 7


def hog_pile(own: int, opponent: int) -> int:
    """The score after points were added: doubled where it equals the opponent's (H6)."""
    return 2 * own if own == opponent else own


def trots(position: Position, dice: int) -> bool:
    """Whether rolling so many dice here earns an extra turn (H7); 8 and more never do."""
    return dice == position.turn % TURNS and not position.extra


def after(position: Position, dice: int, points: int) -> Position:
    """The position after a turn in which so many dice brought these points."""
    score = hog_pile(position.own + points, position.opponent)
    scores = (score, position.scores[1]) if position.player == 0 else (position.scores[0], score)
    again = trots(position, dice)
    player = position.player if again else 1 - position.player
    return Position(scores, player, position.turn + 1, again)


def winner(position: Position, goals: Pair) -> int | None:
    """The player who has reached its own goal (H8); None while the game goes on."""
    return next((player for player in (0, 1) if position.scores[player] >= goals[player]), None)


# --- the odds ---
@cache
def roll_ways(dice: int) -> Mapping[int, int]:
    """In how many of the 6**dice ways the dice can fall they bring so many points (H4); 1 die or more."""
    ways = {0: 1}
    for _ in range(dice):
        ways = _with_another_die(ways)
    return {1: SIDES**dice - sum(ways.values()), **ways}


def _with_another_die(ways: Mapping[int, int]) -> dict[int, int]:
    """Only the ways without a 1."""
    sums: dict[int, int] = {}
    for points, count in ways.items():
        for face in range(2, SIDES + 1):
            sums[points + face] = sums.get(points + face, 0) + count
    return sums


@cache
def odds(dice: int, opponent: int) -> Mapping[int, Fraction]:
    """The chance of each number of points, for a player whose opponent has this score."""
    if dice == 0:
        return {picky_piggy(opponent): Fraction(1)}
    return {points: Fraction(ways, SIDES**dice) for points, ways in roll_ways(dice).items()}


# --- a contest ---
@dataclass(frozen=True)
class Ranked:
    """A line of the ranking; `entry` is the number of the entry, from 0."""

    rank: int
    entry: int
    match_points: int


def all_pairs(entries: int) -> tuple[Pair, ...]:
    """Everybody against everybody else, once; numbers of entries, the lower first."""
    return tuple(combinations(range(entries), 2))


def ranking(entries: int, rates: Mapping[Pair, float]) -> tuple[Ranked, ...]:
    """Best first; equal match points share a rank, in the order of their numbers (H11).

    `rates` has the win rate of the first of each of `all_pairs`; ValueError if it has others, or not all.
    """
    if rates.keys() != set(all_pairs(entries)):
        raise ValueError(f"a win rate for each of the pairs of {entries} entries is needed, and no other")
    points = match_points(entries, rates)
    order = sorted(range(entries), key=lambda entry: -points[entry])
    return tuple(Ranked(1 + sum(more > points[e] for more in points), e, points[e]) for e in order)


def match_points(entries: int, rates: Mapping[Pair, float]) -> list[int]:
    """How many others each entry beats (H11): more often than MATCH_POINT; so a tie is a loss for both."""
    points = [0] * entries
    for (first, second), rate in rates.items():
        points[first] += rate > MATCH_POINT
        points[second] += 1 - rate > MATCH_POINT
    return points
