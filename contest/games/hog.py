"""Hog: two players roll dice in turn, each towards a goal of its own; a 1 spoils the turn.

This module has the rules of a turn and the exact odds of a roll (H1 to H10).
docs/games/hog.md explains them to people.

No games are played in a contest. We ask each strategy once for every pair of scores, and compute
its chance of winning against every other strategy in `contest.subprocesses.hog_solver`; here,
`win_rate` computes it in Python. tests/support/hog_win_rate.py has the plain definition of that
chance.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from contest.games import game as base
from contest.games.game import TABLE, FaultRule, Game, GameInfo
from contest.language import gettext, ngettext, noted

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
_UNKNOWN = -1.0

Pair = tuple[int, int]


class Hog(Game):
    """The game as the registry knows it. A pairing is worth the exact win rate, in trillionths."""

    info = GameInfo(
        name="hog",
        title="Hog",
        min_seats=2,
        max_seats=2,
        max_turns=2 * SCORES,  # every turn adds at least one point
        fault_rule=FaultRule.GAME_LOST,
        play=TABLE,
        program_name=PROGRAM,
        point=WIN_RATE_UNIT,
        has_kit=True,
        summary=noted(
            "A strategy for this dice game gets both scores and says how many dice it rolls."
        ),
    )


# --- an entry ---
@dataclass(frozen=True)
class HogEntry:
    """A strategy in a contest. `table[own * SCORES + opponent]`: how many dice it rolls at these
    scores."""

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

    The rules define it in floating point and in this order of operations: the goal for 4100 bytes
    is 122; exact arithmetic would make it 123.

    >>> goal_for(1699), goal_for(4100), goal_for(10000)
    (50, 122, 300)
    """
    scaled = size / 10000 * 300
    return int(min(max(scaled, LOWEST_GOAL), SCORES))


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
def picky_piggy(opponent: int) -> int:
    """Return the points for rolling no dice (H5).

    They are the decimal digit of 1/7 at the place that is the opponent's score; 7 if that score is
    0.

    >>> picky_piggy(3), picky_piggy(14), picky_piggy(0)
    (2, 4, 7)
    """
    return int("142857"[(opponent - 1) % 6]) if opponent else 7


def hog_pile(own: int, opponent: int) -> int:
    """Return the score after a turn: `own`, doubled if it equals the opponent's (H6)."""
    return 2 * own if own == opponent else own


# --- the odds ---
@cache
def roll_ways(dice: int) -> Mapping[int, int]:
    """Return how many of the 6**dice outcomes give each number of points (H4); `dice` is at least
    1."""
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


def win_rate(first: HogEntry, second: HogEntry) -> float:
    """Return how often `first` wins if a fair coin decides who begins (H10), right to about 1e-13.

    For teams at home: this takes seconds for goals of 120, and a minute for the highest ones. The
    contest's solver is a thousand times as fast.
    """
    entries = (first, second)

    def chances_of(dice: int, score: int) -> list[tuple[int, float]]:
        return [(points, float(chance)) for points, chance in odds(dice, score).items()]

    chances = [[chances_of(dice, score) for score in range(SCORES)] for dice in range(MAX_DICE + 1)]
    known = array("d", [_UNKNOWN]) * (SCORES * SCORES * 2 * TURNS * 2)

    def wins(own: int, opponent: int, player: int, turn: int, extra: bool) -> float:
        """Return the chance that the player wins. The recursion ends: every turn brings a point,
        and no score falls."""
        place = (((own * SCORES + opponent) * 2 + player) * TURNS + turn) * 2 + extra
        if known[place] != _UNKNOWN:
            return known[place]
        dice = entries[player].dice(own, opponent)
        again = dice == turn and not extra
        following = (turn + 1) % TURNS
        total = 0.0
        for points, chance in chances[dice][opponent]:
            score = hog_pile(own + points, opponent)
            if score >= entries[player].goal:
                total += chance
            elif again:
                total += chance * wins(score, opponent, player, following, True)
            else:
                total += chance * (1 - wins(opponent, score, 1 - player, following, False))
        known[place] = total
        return total

    return (wins(0, 0, 0, 0, False) + 1 - wins(0, 0, 1, 0, False)) / 2
