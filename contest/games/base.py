"""What a game is: pure rules, without I/O, clock or chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from contest.config.sections import GameSettings, Programs

Position = TypeVar("Position")
Move = TypeVar("Move")


class FaultRule(StrEnum):
    """What the rules make of a fault: a move that is forbidden, no move at all, or one too late."""

    REPLAY = "the game is discarded and played again once, the second fault disqualifies"
    GAME_LOST = "the game ends and is lost"
    RANDOM_MOVE = "a random move is made instead, and points are taken off"
    NOTHING = "the player does nothing in this turn"


class Dialogue(StrEnum):
    """How a program is asked for its moves."""

    MACHINE = "machine"  # linked with our library, on the contest machine
    LINES = "lines"  # one process through many games; a line in, a line out
    ARGUMENTS = "arguments"  # started for each move with words as arguments, the move on standard output
    FUNCTION = "function"  # a Python function, called for each move
    TABLE = "table"  # a Python function, called once for every position there is


Words = tuple[str | int | float, ...]


@dataclass(frozen=True)
class GameInfo:
    """The facts by which a format knows, before the contest day, whether it can use a game."""

    name: str  # lower case, as in contest.toml
    title: str
    min_seats: int
    max_seats: int
    simultaneous: bool  # several seats move at once; otherwise in turn
    chance: bool  # the rules themselves draw lots; players may always
    max_turns: int  # no game is longer
    fault_rule: FaultRule
    dialogues: tuple[Dialogue, ...]  # the first is the usual one
    point: int = 1  # how many of the game's points make one as people count: 2 where it counts in halves
    turn_word: str = "turn"  # what people call one: throw, move, round


class Game(Protocol[Position, Move]):
    """Rules as functions of values. Seats count from 0."""

    @property
    def info(self) -> GameInfo: ...

    def start(self, seats: int) -> Position:
        """The position before the first turn."""

    def players_to_move(self, position: Position) -> frozenset[int]:
        """The seats whose moves the next turn needs; empty when the game is over."""

    def why_illegal(self, position: Position, seat: int, move: Move) -> str | None:
        """Why the rules forbid this move, in a sentence for the player's team; None if they allow it."""

    def apply(self, position: Position, moves: Mapping[int, Move]) -> Position:
        """The position after a turn, given an allowed move of each awaited seat."""

    def points(self, position: Position) -> tuple[int, ...]:
        """What each seat has won so far; whole numbers, a game says in its page what they stand for."""

    def sample_moves(self, position: Position, seat: int) -> Sequence[Move]:
        """A few allowed moves of an awaited seat, the extreme ones among them; at least one."""


class TextGame(Game[Position, Move], Protocol):
    """A game whose programs are asked in words: every dialogue but MACHINE."""

    def for_players(self, names: Sequence[str], draw: Callable[[int], int]) -> TextGame[Position, Move]:
        """The game for players of these names, by seat, and with everything drawn that stays the same."""

    def apply_with_faults(
        self, position: Position, moves: Mapping[int, Move], draw: Callable[[int], int]
    ) -> Position:
        """The position after a turn in which the awaited seats that are missing in `moves` were at fault.

        `draw(n)` gives a random number in 0..n-1. Never called where the ruling is REPLAY.
        """

    def replacement_move(self, position: Position, seat: int) -> Move | None:
        """The move that the rules made for a seat whose fault led to this position; None = they made none."""

    def question(self, position: Position, seat: int, dialogue: Dialogue) -> Words:
        """What an awaited seat's program is told: a line's words, arguments, or a function's parameters."""

    def game_over_message(self, position: Position, seat: int) -> Words:
        """What the program is told when the game is over, without an answer; () = nothing (LINES only)."""

    def answer(self, position: Position, seat: int, text: str) -> Move:
        """The move that the program's answer means. Raises ValueError with a sentence for its team.

        Says nothing about whether the move is allowed: that is `objection`.
        """


@dataclass(frozen=True)
class GameKind:
    """A row of the register: a game's name, its section `[game]` of contest.toml, and how to make it of that.

    `make` also gets the limits of programs, for games that tell their players how long they may think.
    `rules` is the text that participants get, in Markdown, and `samples` are programs to play against, by
    file name; a built-in game has a page in docs/games and files in knobellib/opponents instead.
    """

    name: str
    settings: type[GameSettings]
    make: Callable[[Any, Programs], Game[Any, Any]]
    rules: str = ""
    samples: Mapping[str, bytes] = field(default_factory=dict)
