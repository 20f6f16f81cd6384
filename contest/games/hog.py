"""Hog: two players roll dice in turn, each towards a goal of its own; a 1 spoils the turn.

This module has the rules of a turn, the exact odds of a roll, and the ranking (H1 to H11).
docs/games/hog.md explains them to people.

No games are played in a contest. We ask each strategy once for every pair of scores, and compute its chance
of winning against every other strategy in `contest.subprocesses.hog_solver`. hog_recursion.py computes it in
Python, for teams at home. `win_rate` in tests/support/hog_win_rate.py is the plain definition of that chance.
hog_game.py plays a game roll by roll.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations

from contest.games import game as base
from contest.language import gettext, ngettext

SCORES = 300  # we ask a strategy for its own and its opponent's scores 0..299; no goal is higher
MAX_DICE = 10
TABULATION_SECONDS = 300.0  # for each of the two times that a strategy is tabulated (H3)
SIDES = 6
TURNS = 8  # Time Trot uses the turn's number modulo this
LOWEST_GOAL = 50
MATCH_POINT = float(base.MATCH_POINT)  # a strategy gets a match point for a win rate above this
MAX_NAME = 64
PROGRAM = "final_strategy.py"  # the file that a team sends (H1)
FUNCTION = "final_strategy"  # the function in that file
LABEL = "PLAYER_NAME"  # the variable in that file
WIN_RATE_UNIT = 10**12  # points for a win rate of 1

Pair = tuple[int, int]


# --- an entry ---
@dataclass(frozen=True)
class HogEntry:
    """A strategy in a contest. `table[own * SCORES + opponent]`: how many dice it rolls at these scores."""

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
        """Read what `to_bytes` wrote. Raises ValueError for other bytes."""
        return cls(raw[2:], int.from_bytes(raw[:2], "big"))

    def dice(self, own: int, opponent: int) -> int:
        """Return how many dice it rolls at these scores, each in 0..SCORES - 1."""
        return self.table[own * SCORES + opponent]


def goal_for(size: int) -> int:
    """Return the goal for a file of `size` bytes (H8).

    The rules define it in floating point and in this order of operations: the goal for 4100 bytes is 122;
    exact arithmetic would make it 123.

    >>> goal_for(1699), goal_for(4100), goal_for(10000)
    (50, 122, 300)
    """
    scaled = size / 10000 * 300
    return int(min(max(scaled, LOWEST_GOAL), SCORES))


def why_illegal_dice(answer: object) -> str | None:
    """Say why this is no number of dice (H2); None if it is one. True and False are none."""
    if type(answer) is not int:
        return gettext("a number of dice is an int, not a %(type)s", type=type(answer).__name__)
    if not 0 <= answer <= MAX_DICE:
        if answer > 0:
            return gettext("0 to %(most)s dice can be rolled, not more", most=MAX_DICE)
        return gettext("0 to %(most)s dice can be rolled, not fewer", most=MAX_DICE)
    return None


def why_illegal_name(name: object) -> str | None:
    """Say why this is not a valid PLAYER_NAME (H2); None if it is."""
    if not isinstance(name, str):
        return gettext("PLAYER_NAME is a str, not %(type)s", type=type(name).__name__)
    if not 1 <= len(name) <= MAX_NAME:
        return ngettext(
            "PLAYER_NAME has %(length)s character, but 1 to %(most)s are allowed",
            "PLAYER_NAME has %(length)s characters, but 1 to %(most)s are allowed",
            len(name),
            length=len(name),
            most=MAX_NAME,
        )
    return None


# --- a turn ---
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
    """Return the points of a roll of at least one die: the sum of the faces, or 1 if any face is a 1 (H4)."""
    return 1 if 1 in faces else sum(faces)


def picky_piggy(opponent: int) -> int:
    """Return the points for rolling no dice (H5).

    They are the decimal digit of 1/7 at the place that is the opponent's score; 7 if that score is 0.

    >>> picky_piggy(3), picky_piggy(14), picky_piggy(0)
    (2, 4, 7)
    """
    return int("142857"[(opponent - 1) % 6]) if opponent else 7


def hog_pile(own: int, opponent: int) -> int:
    """Return the score after a turn: `own`, doubled if it equals the opponent's (H6)."""
    return 2 * own if own == opponent else own


def trots(position: Position, dice: int) -> bool:
    """Whether rolling so many dice in this position earns an extra turn (H7); 8 or more never do."""
    return dice == position.turn % TURNS and not position.extra


def after(position: Position, dice: int, points: int) -> Position:
    """Return the position after a turn in which the player rolled `dice` dice and got `points`."""
    score = hog_pile(position.own + points, position.opponent)
    scores = (score, position.scores[1]) if position.player == 0 else (position.scores[0], score)
    again = trots(position, dice)
    player = position.player if again else 1 - position.player
    return Position(scores, player, position.turn + 1, again)


def winner(position: Position, goals: Pair) -> int | None:
    """Return the player that has reached its own goal (H8); None while the game goes on."""
    return next((player for player in (0, 1) if position.scores[player] >= goals[player]), None)


# --- the odds ---
@cache
def roll_ways(dice: int) -> Mapping[int, int]:
    """Return how many of the 6**dice outcomes give each number of points (H4); `dice` is at least 1."""
    ways = {0: 1}
    for _ in range(dice):
        ways = _with_another_die(ways)
    return {1: SIDES**dice - sum(ways.values()), **ways}


def _with_another_die(ways: Mapping[int, int]) -> dict[int, int]:
    """Add a die, and leave out the outcomes in which it shows a 1."""
    sums: dict[int, int] = {}
    for points, count in ways.items():
        for face in range(2, SIDES + 1):
            sums[points + face] = sums.get(points + face, 0) + count
    return sums


@cache
def odds(dice: int, opponent: int) -> Mapping[int, Fraction]:
    """Return the chance of each number of points, for a player whose opponent has this score."""
    if dice == 0:
        return {picky_piggy(opponent): Fraction(1)}
    return {points: Fraction(ways, SIDES**dice) for points, ways in roll_ways(dice).items()}


# --- a contest ---
@dataclass(frozen=True)
class Ranked:
    """A line of the ranking. Entries count from 0."""

    rank: int
    entry: int
    match_points: int


def all_pairs(entries: int) -> tuple[Pair, ...]:
    """Return each pair of entries once, as their numbers, the lower first."""
    return tuple(combinations(range(entries), 2))


def ranking(entries: int, rates: Mapping[Pair, float]) -> tuple[Ranked, ...]:
    """Rank the entries, best first (H11).

    Entries with equal match points share a rank and keep the order of their numbers. `rates` has the win rate
    of the first entry of each pair in `all_pairs`. Raises ValueError for missing or other pairs.
    """
    if rates.keys() != set(all_pairs(entries)):
        raise ValueError(f"a win rate for each of the pairs of {entries} entries is needed, and no other")
    points = match_points(entries, rates)
    order = sorted(range(entries), key=lambda entry: -points[entry])
    return tuple(Ranked(1 + sum(more > points[e] for more in points), e, points[e]) for e in order)


def match_points(entries: int, rates: Mapping[Pair, float]) -> list[int]:
    """Count the opponents that each entry beats, with a win rate above MATCH_POINT; a tie is no win (H11)."""
    points = [0] * entries
    for (first, second), rate in rates.items():
        points[first] += rate > MATCH_POINT
        points[second] += 1 - rate > MATCH_POINT
    return points
