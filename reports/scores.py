"""Present the games of a group: as single games, series, melees or computed win rates. Pure
functions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from contest.games.game import MATCH_POINT, GameInfo
from contest.model import GroupOutcome, GroupPlan, Match, SeatResult
from reports import results
from reports.results import GameLine, GameStatus, OwnGames

_COUNTED = (GameStatus.COUNTED, GameStatus.REPLAYED)
FEW_GAMES = 9  # a series of at most this many games is shown game by game


class Shape(StrEnum):
    """The form in which reports list the games of a group."""

    SINGLE = "single"  # a line for each game
    SERIES = "series"  # a line for each pairing
    MELEE = "melee"  # more than two in a game: a table for each game
    RATES = "rates"  # win rates are computed, nothing is played: a line for each pairing


def shape_of(plan: GroupPlan, game: GameInfo) -> Shape:
    """Return the form for the games of this group."""
    if not game.play.has_moves:
        return Shape.RATES
    if any(len(pairing.players) > 2 for pairing in plan.pairings):
        return Shape.MELEE
    if any(pairing.games > 1 or pairing.most > 1 for pairing in plan.pairings):
        return Shape.SERIES
    return Shape.SINGLE


# --- two players ----------------------------------------------------------------------------------
@dataclass(frozen=True)
class Score:
    """A pairing of two from the view of one player. Points are half points, summed over the counted
    games."""

    opponent: str
    is_self: bool
    lines: tuple[GameLine, ...]  # every attempt, in order

    @cached_property
    def counted(self) -> tuple[GameLine, ...]:
        """The games that count."""
        return tuple([line for line in self.lines if line.status in _COUNTED])

    @cached_property
    def own(self) -> int:
        return sum(map(_own, self.counted))

    @cached_property
    def theirs(self) -> int:
        return sum(map(_theirs, self.counted))

    @property
    def lead(self) -> int:
        return self.own - self.theirs

    @property
    def won(self) -> int:
        return sum(not self.is_self and _own(line) > _theirs(line) for line in self.counted)

    @property
    def tied(self) -> int:
        return sum(not self.is_self and _own(line) == _theirs(line) for line in self.counted)

    @property
    def lost(self) -> int:
        return sum(not self.is_self and _own(line) < _theirs(line) for line in self.counted)

    @property
    def has_match_point(self) -> bool:
        """Whether the player has the greater share of the pairing's points (H11)."""
        return self.own > MATCH_POINT * (self.own + self.theirs)

    @property
    def gives_match_point(self) -> bool:
        """Whether the opponent has the match point."""
        return self.theirs > MATCH_POINT * (self.own + self.theirs)

    @property
    def rate(self) -> str:
        """The player's share of the pairing's points, which is its win rate, with six decimals."""
        return f"{self.own / (self.own + self.theirs or 1):.6f}"

    @property
    def is_short(self) -> bool:
        """Whether the games are few enough to be shown one by one."""
        return len(self.counted) <= FEW_GAMES

    def times(self, status: str) -> int:
        """Count the lines that have this status."""
        return sum(line.status == status for line in self.lines)

    @property
    def own_faulty(self) -> int:
        """How many games the player was at fault in."""
        return sum(line.own_faults > 0 for line in self.lines)

    @property
    def their_faulty(self) -> int:
        return sum(line.their_faults > 0 for line in self.lines)

    @property
    def is_remarkable(self) -> bool:
        """Whether the reports have a remark on this pairing, about a fault or a game's status."""
        return any(
            line.own_faults or line.their_faults or line.status != "counted" for line in self.lines
        )

    @property
    def gone(self) -> str:
        return self.lines[0].gone


def _own(line: GameLine) -> int:
    return line.own or 0


def _theirs(line: GameLine) -> int:
    return line.theirs or 0


def scores(own: OwnGames) -> tuple[Score, ...]:
    """Return the entry's pairings of two in this group, sorted by opponent."""
    return tuple(
        Score(results.opponent(pairing, own.entry), pairing.is_self, own.lines_of[pairing])
        for pairing, _ in own.tried
        if len(pairing.players) == 2
    )


# --- more than two --------------------------------------------------------------------------------
@dataclass(frozen=True)
class MeleePlace:
    """The place of a player in a game of many.

    `fell_in`: the turn in which the player fell; None if it survived, or if nobody falls in this
    game.
    """

    rank: int
    entry: str
    half_points: int
    fell_in: int | None
    is_left: bool  # others fell, and this player did not
    faults: int  # turns in which it was at fault


def places(match: Match, max_turns: int) -> tuple[MeleePlace, ...]:
    """Return the places of the players of a game, best first; equal points share a rank.

    Players fall in this game if somebody was no longer asked before its end. A game that ends
    before `max_turns`, its longest time, leaves one player or none: all others that were asked in
    the last turn fell in it.
    """
    turns = match.result.turns
    sides = sorted(match.sides, key=lambda side: (-side[1].points, side[0].casefold()))
    stopped = turns >= max_turns
    falls = any(seat.last_turn < turns for _, seat in sides)
    tops = sum(seat.points == sides[0][1].points for _, seat in sides)

    def is_left(seat: SeatResult) -> bool:
        alone = tops == 1 and seat.points == sides[0][1].points
        return falls and seat.last_turn == turns and (stopped or alone)

    return tuple(
        MeleePlace(
            rank=1 + sum(other.points > seat.points for _, other in sides),
            entry=name,
            half_points=2 * seat.points,
            fell_in=seat.last_turn if falls and not is_left(seat) else None,
            is_left=is_left(seat),
            faults=seat.faults,
        )
        for name, seat in sides
    )


def melees(outcome: GroupOutcome, max_turns: int) -> tuple[tuple[MeleePlace, ...], ...]:
    """Return the places of each counted game of more than two."""
    return tuple(
        places(match, max_turns)
        for match in outcome.matches
        if match.counted and len(match.pairing.players) > 2
    )
