"""The mega mexican standoff: the players are in a circle and act at once in each round (M1 to M10).

Seats are places in the circle: at first, seat 2 is the left neighbour of seat 3, and seat 4 the
right one. The contest draws the seats. The game's original program lets one of the last two players
shoot twice, against its own rules; we follow the rules (M6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from contest.games.drawing import Figure, Ring
from contest.games.game import FaultRule, GameInfo, TextGame, TextProtocol, Words
from contest.games.words import letter
from contest.language import gettext, ngettext, noted

HEALTH = 30
FULL_AMMO = 2
DAMAGE = 10
DAMAGE_TO_THE_PROTECTED = 4
MOST_SEATS = 1_000
MAX_ROUNDS = 1_000


class Action(StrEnum):
    """An action for one round, as a program prints it and its neighbours see it."""

    SHOOT = "S"
    PROTECT = "P"
    RELOAD = "R"
    NOTHING = "N"


LETTERS = (
    (Action.SHOOT, noted("shoot")),
    (Action.PROTECT, noted("protect")),
    (Action.RELOAD, noted("reload")),
    (Action.NOTHING, noted("nothing")),
)


@dataclass(frozen=True)
class Fighter:
    """A player. `fell`: the round in which it died; None while it lives."""

    health: int = HEALTH
    ammo: int = FULL_AMMO
    last: Action = Action.NOTHING
    fell: int | None = None

    @property
    def triplet(self) -> str:
        """Health, ammunition and last action, as programs see them (M7): 30/2/P."""
        return f"{self.health}/{self.ammo}/{self.last}"


@dataclass(frozen=True)
class Circle:
    """A position: all fighters by seat, including the dead, and the number of rounds played."""

    fighters: tuple[Fighter, ...]
    rounds: int = 0

    @cached_property
    def alive(self) -> tuple[int, ...]:
        """The seats of the living, in the order of the circle."""
        return tuple(seat for seat, fighter in enumerate(self.fighters) if fighter.fell is None)

    @cached_property
    def neighbours(self) -> Mapping[int, tuple[int, ...]]:
        """The neighbours of each living seat, the left one first.

        If two are left, each has one neighbour; the last has none.
        """
        ring = self.alive
        return {seat: _beside(ring, place) for place, seat in enumerate(ring)}


def _beside(ring: Sequence[int], place: int) -> tuple[int, ...]:
    left, right = ring[place - 1], ring[(place + 1) % len(ring)]
    return tuple(dict.fromkeys(seat for seat in (left, right) if seat != ring[place]))


def acted(fighter: Fighter, action: Action, shots: int, number: int) -> Fighter:
    """Return a living fighter after round `number`: it took `action`, and `shots` hit it (M2 to
    M5)."""
    damage = DAMAGE_TO_THE_PROTECTED if action is Action.PROTECT else DAMAGE
    health = max(0, fighter.health - shots * damage)
    ammo = fighter.ammo + (action is Action.RELOAD) - (action is Action.SHOOT)
    return Fighter(health, ammo, action, None if health else number)


class Standoff(TextGame[Circle, Action]):
    """The game as the registry knows it."""

    def __init__(self, max_rounds: int = MAX_ROUNDS) -> None:
        """`max_rounds`: after this many rounds the game ends, however many players are alive
        (M8)."""
        self.max_rounds = max_rounds

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"max_rounds": self.max_rounds}

    @property
    def info(self) -> GameInfo:
        return GameInfo(
            name="standoff",
            title="Mega mexican standoff",
            min_seats=2,
            max_seats=MOST_SEATS,
            max_turns=self.max_rounds,
            fault_rule=FaultRule.NOTHING,
            protocols=(TextProtocol.ARGV,),
            has_kit=True,
            turn_word="round",
            summary=noted(
                "All players stand in one circle and act at the same time, round after round: "
                "each shoots, protects itself, reloads, or waits. The last one alive wins."
            ),
            letters=LETTERS,
        )

    def start(self, seats: int) -> Circle:
        return Circle((Fighter(),) * seats)

    def players_to_move(self, position: Circle) -> frozenset[int]:
        alive = position.alive
        over = len(alive) <= 1 or position.rounds == self.max_rounds
        return frozenset() if over else frozenset(alive)

    def why_illegal(self, position: Circle, seat: int, move: Action) -> str | None:
        """Shooting needs ammunition; reloading needs room for more (M4)."""
        ammo = position.fighters[seat].ammo
        if move is Action.SHOOT and ammo == 0:
            return gettext("it wanted to shoot, but had no ammunition")
        if move is Action.RELOAD and ammo == FULL_AMMO:
            return gettext(
                "it wanted to reload, but had its %(rounds)s rounds of ammunition", rounds=FULL_AMMO
            )
        return None

    def apply(self, position: Circle, moves: Mapping[int, Action]) -> Circle:
        """Return all act at once: a fighter that dies in a round still shoots in it (M5, M6)."""
        number = position.rounds + 1
        fighters = list(position.fighters)
        for seat, beside in position.neighbours.items():
            shots = sum(moves[other] is Action.SHOOT for other in beside)
            fighters[seat] = acted(fighters[seat], moves[seat], shots, number)
        return Circle(tuple(fighters), number)

    def apply_with_faults(
        self, position: Circle, moves: Mapping[int, Action], draw: Callable[[int], int]
    ) -> Circle:
        """Return a player without a move does nothing, and its neighbours see that (M4, M10)."""
        return self.apply(
            position, {seat: moves.get(seat, Action.NOTHING) for seat in position.alive}
        )

    def replacement_move(self, position: Circle, seat: int) -> Action | None:
        return position.fighters[seat].last

    def points(self, position: Circle) -> tuple[int, ...]:
        """Give each player one point for every player ranked below it."""
        order = [self._endurance(position, fighter) for fighter in position.fighters]
        worse = {own: place for place, own in reversed(list(enumerate(sorted(order))))}
        return tuple(worse[own] for own in order)

    def score(self, position: Circle) -> tuple[int, ...]:
        """Give the health."""
        return tuple(fighter.health for fighter in position.fighters)

    def _endurance(self, position: Circle, fighter: Fighter) -> tuple[int, int, int]:
        """Return the key by which the ranking sorts: greater is better, equal keys share a rank
        (M8)."""
        if fighter.fell is not None:
            return fighter.fell, 0, 0
        stopped = position.rounds == self.max_rounds
        return self.max_rounds + 1, fighter.health * stopped, fighter.ammo * stopped

    def ring(self, position: Circle) -> Ring:
        """Draw the circle: health, ammunition, the last actions, and the shots of the last
        round."""
        number = position.rounds
        acted = [
            seat
            for seat, fighter in enumerate(position.fighters)
            if number and fighter.fell in (None, number)
        ]
        arrows = tuple(
            (seat, other)
            for place, seat in enumerate(acted)
            if position.fighters[seat].last is Action.SHOOT
            for other in _beside(acted, place)
        )
        figures = tuple(
            Figure(
                fighter.health,
                fighter.ammo,
                fighter.last if seat in acted else "",
                covered=seat in acted and fighter.last is Action.PROTECT,
            )
            for seat, fighter in enumerate(position.fighters)
        )
        alive = len(position.alive)
        fell = sum(fighter.fell == number for fighter in position.fighters) if number else 0
        all_players = len(figures)
        if fell:
            caption = ngettext(
                "%(num)s player of %(all)s alive, %(fell)s just fell.",
                "%(num)s players of %(all)s alive, %(fell)s just fell.",
                alive,
                all=all_players,
                fell=fell,
            )
        else:
            caption = ngettext(
                "%(num)s player of %(all)s alive.",
                "%(num)s players of %(all)s alive.",
                alive,
                all=all_players,
            )
        return Ring(figures, arrows, HEALTH, caption)

    def sample_moves(self, position: Circle, seat: int) -> Sequence[Action]:
        return tuple(
            action for action in Action if self.why_illegal(position, seat, action) is None
        )

    def question(self, position: Circle, seat: int, protocol: TextProtocol) -> Words:
        """Return the player's own triplet, then those of its neighbours, left before right (M7)."""
        seen = (seat, *position.neighbours[seat])
        return tuple(position.fighters[other].triplet for other in seen)

    def answer(self, position: Circle, seat: int, text: str) -> Action:
        """Read the letter S, P, R or N; only white space may be around it. Raises ValueError."""
        return letter(text, Action)
