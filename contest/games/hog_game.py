"""Hog as a game of the registry, played roll by roll. The game's `luck` decides how the dice fall.

A contest of Hog plays no games: a pairing is worth the exact win rate (`hog_solver`) in trillionths. This
module lets a person watch a game, and lets tests check that the rules keep the promises of every game.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from contest.games import hog as rules
from contest.games.game import TABLE, FaultRule, Game, GameInfo
from contest.games.hog import MAX_DICE, SCORES, SIDES, WIN_RATE_UNIT, Pair
from contest.language import noted

NAME = "hog"
USUAL_GOAL = 100


@dataclass(frozen=True)
class Rolled:
    """A position, and the faces of the dice in the turn before it; () if none were rolled."""

    at: rules.Position
    faces: tuple[int, ...] = ()


class Hog(Game[Rolled, int]):
    """The game as the registry knows it. `goals`: by seat; `luck` decides who begins, and every roll."""

    info = GameInfo(
        name=NAME,
        title="Hog",
        min_seats=2,
        max_seats=2,
        max_turns=2 * SCORES,  # every turn adds at least one point
        fault_rule=FaultRule.GAME_LOST,
        play=TABLE,
        program_name=rules.PROGRAM,
        point=WIN_RATE_UNIT,
        has_kit=True,
        summary=noted("A strategy for this dice game gets both scores and says how many dice it rolls."),
    )

    def __init__(self, goals: Pair = (USUAL_GOAL, USUAL_GOAL), luck: int = 0) -> None:
        if not all(1 <= goal <= SCORES for goal in goals):
            raise ValueError(f"the goals {goals}: each is in 1..{SCORES}")
        self.goals = goals
        self._luck = luck

    def for_players(self, names: Sequence[str], draw: Callable[[int], int]) -> Hog:
        return Hog(self.goals, draw(2**62))

    def start(self, seats: int) -> Rolled:
        if seats != 2:
            raise ValueError(f"Hog is played by 2, not by {seats}")
        return Rolled(rules.Position(player=self._luck % 2))

    def players_to_move(self, position: Rolled) -> frozenset[int]:
        over = rules.winner(position.at, self.goals) is not None
        return frozenset() if over else frozenset((position.at.player,))

    def why_illegal(self, position: Rolled, seat: int, move: int) -> str | None:
        return rules.why_illegal_dice(move)

    def apply(self, position: Rolled, moves: Mapping[int, int]) -> Rolled:
        dice = moves[position.at.player]
        faces = self._roll(position.at.turn, dice)
        points = rules.sow_sad(faces) if dice else rules.picky_piggy(position.at.opponent)
        return Rolled(rules.after(position.at, dice, points), faces)

    def points(self, position: Rolled) -> tuple[int, ...]:
        """Give the winner WIN_RATE_UNIT points; before the end nobody has any."""
        won = rules.winner(position.at, self.goals)
        return tuple(WIN_RATE_UNIT if seat == won else 0 for seat in (0, 1))

    def sample_moves(self, position: Rolled, seat: int) -> Sequence[int]:
        return (0, 1, position.at.turn % rules.TURNS, MAX_DICE)

    def _roll(self, turn: int, dice: int) -> tuple[int, ...]:
        """Roll `dice` dice in this turn. All faces are equally likely, to one part in 2**61."""
        falls = hashlib.blake2b(f"{self._luck}/{turn}".encode(), digest_size=64).digest()
        more = hashlib.blake2b(falls, digest_size=64).digest()
        numbers = (int.from_bytes((falls + more)[8 * die : 8 * die + 8], "big") for die in range(dice))
        return tuple(1 + number % SIDES for number in numbers)
