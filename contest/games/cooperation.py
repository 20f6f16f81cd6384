"""The cooperation game: in each round two criminals decide at the same time to cooperate or to
betray.

This module has the rules C1 to C7. The first version of the game (L1, L2) has exactly 10 rounds and
asks in another form; otherwise it has the same rules. Programs get histories as texts with one
letter per round. A contest may have other payoffs, and noise: then histories tell what happened,
not what was decided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

from contest.games.game import FaultRule, GameInfo, TextGame, TextProtocol, Words
from contest.games.words import letter
from contest.language import noted

FEWEST_ROUNDS = 10
MOST_ROUNDS = 15
LEGACY_ROUNDS = 10


class Decision(StrEnum):
    """A decision for one round, as a program prints it."""

    COOPERATE = "C"
    BETRAY = "B"


class Payoffs(NamedTuple):
    """A side's points for one round, in the order T, R, P, S of the literature (C2)."""

    betrayer: int = 3
    both_cooperate: int = 2
    both_betray: int = 1
    betrayed: int = 0

    @property
    def is_dilemma(self) -> bool:
        """Betrayal always pays for the moment, and yet both lose by it."""
        return self.betrayer > self.both_cooperate > self.both_betray > self.betrayed

    def points(self, own: Decision, other: Decision) -> int:
        """Return a side's points for one round.

        >>> [Payoffs().points(Decision(own), Decision(other)) for own, other in ("BB", "BC", "CB",
        "CC")] [1, 3, 0, 2]
        """
        if own is Decision.BETRAY:
            return self.both_betray if other is Decision.BETRAY else self.betrayer
        return self.betrayed if other is Decision.BETRAY else self.both_cooperate


_OPPOSITE = {Decision.COOPERATE: Decision.BETRAY, Decision.BETRAY: Decision.COOPERATE}
_NOISE = (
    ("C>B", noted("meant to cooperate, and betrayed by chance")),
    ("B>C", noted("meant to betray, and cooperated by chance")),
)


@dataclass(frozen=True)
class Dealings:
    """A position: what each side has done so far, and the sides that gave no valid answer."""

    histories: tuple[tuple[Decision, ...], tuple[Decision, ...]] = ((), ())
    forfeited: frozenset[int] = frozenset()

    @property
    def rounds(self) -> int:
        return len(self.histories[0])


class Cooperation(TextGame[Dealings, Decision]):
    """The game as the registry knows it, with the largest number of rounds; a contest draws its
    own."""

    name = "cooperation"
    title = "Cooperation game"

    def __init__(
        self,
        rounds: int = MOST_ROUNDS,
        fewest: int = FEWEST_ROUNDS,
        noise_percent: int = 0,
        payoffs: Sequence[int] = Payoffs(),
    ) -> None:
        """`rounds`: the largest number (C1). `for_players` draws the contest's own, at least
        `fewest`.

        `noise_percent`: of all decisions, so many are turned into their opposite.
        """
        self.rounds = rounds
        self._fewest = min(fewest, rounds)
        self._noise_percent = noise_percent
        self._payoffs = Payoffs(*payoffs)

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {
            "rounds": self.rounds,
            "fewest": self._fewest,
            "noise_percent": self._noise_percent,
            "payoffs": self._payoffs,
        }

    @property
    def info(self) -> GameInfo:
        return GameInfo(
            name=self.name,
            title=self.title,
            min_seats=2,
            max_seats=2,
            max_turns=self.rounds,
            fault_rule=FaultRule.GAME_LOST,
            protocols=(TextProtocol.ARGV,),
            has_kit=True,
            turn_word="round",
            summary=noted(
                "Two criminals face a deal, again and again. In each round both decide at the same"
                " time: cooperate, or betray the other."
            ),
            letters=(
                (Decision.COOPERATE, noted("cooperate")),
                (Decision.BETRAY, noted("betray")),
                *(_NOISE if self._noise_percent else ()),
            ),
        )

    def for_players(self, names: Sequence[str], draw: Callable[[int], int]) -> Cooperation:
        rounds = self._fewest + draw(self.rounds - self._fewest + 1)
        return Cooperation(rounds, rounds, self._noise_percent, self._payoffs)

    def drawn_facts(self, draw: Callable[[int], int]) -> Mapping[str, int]:
        return {"rounds": self.for_players((), draw).rounds} if self._fewest < self.rounds else {}

    def start(self, seats: int) -> Dealings:
        return Dealings()

    def players_to_move(self, position: Dealings) -> frozenset[int]:
        over = position.forfeited or position.rounds == self.rounds
        return frozenset() if over else frozenset((0, 1))

    def why_illegal(self, position: Dealings, seat: int, move: Decision) -> str | None:
        """Either decision is always allowed."""
        return None

    def apply(self, position: Dealings, moves: Mapping[int, Decision]) -> Dealings:
        first, second = position.histories
        return replace(position, histories=((*first, moves[0]), (*second, moves[1])))

    def carried_out(
        self, position: Dealings, moves: Mapping[int, Decision], draw: Callable[[int], int]
    ) -> Mapping[int, Decision]:
        """Turn some decisions into their opposite, each by a draw of its own."""
        if not self._noise_percent:
            return moves
        return {
            seat: _OPPOSITE[moves[seat]] if draw(100) < self._noise_percent else moves[seat]
            for seat in sorted(moves)
        }

    def apply_with_faults(
        self, position: Dealings, moves: Mapping[int, Decision], draw: Callable[[int], int]
    ) -> Dealings:
        """End the game. Each side without a move loses it; both can lose (C5)."""
        return replace(position, forfeited=self.players_to_move(position) - moves.keys())

    def points(self, position: Dealings) -> tuple[int, ...]:
        """Add up the rounds. In a forfeited game each counts as if its side was betrayed, and as if
        the other cooperated with somebody who did (C5)."""
        if position.forfeited:
            lost, won = (
                self._payoffs.betrayed * self.rounds,
                self._payoffs.both_cooperate * self.rounds,
            )
            return tuple(lost if seat in position.forfeited else won for seat in (0, 1))
        first, second = position.histories
        points = self._payoffs.points
        return sum(map(points, first, second)), sum(map(points, second, first))

    def sample_moves(self, position: Dealings, seat: int) -> Sequence[Decision]:
        return tuple(Decision)

    def question(self, position: Dealings, seat: int, protocol: TextProtocol) -> Words:
        """Return two arguments: what it did, then what the other side did (C3): `[C,B]` `[C,C]`."""
        own, other = position.histories[seat], position.histories[1 - seat]
        return f"[{','.join(own)}]", f"[{','.join(other)}]"

    def answer(self, position: Dealings, seat: int, text: str) -> Decision:
        """Read the letter C or B; only white space may be around it (C4). Raises ValueError."""
        return letter(text, Decision)


class LegacyCooperation(Cooperation):
    """The first version: exactly 10 rounds, and histories like C/B/C (L1)."""

    name = "cooperation-legacy"
    title = "Cooperation game, first version"

    def __init__(self) -> None:
        super().__init__(LEGACY_ROUNDS)

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {}

    def for_players(self, names: Sequence[str], draw: Callable[[int], int]) -> LegacyCooperation:
        return self

    def question(self, position: Dealings, seat: int, protocol: TextProtocol) -> Words:
        """Return the same two arguments in the old form; none in the first round (L2)."""
        if position.rounds == 0:
            return ()
        return "/".join(position.histories[seat]), "/".join(position.histories[1 - seat])
