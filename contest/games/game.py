"""What a game is: pure rules, without I/O, clock or chance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, TypeVar

# settings need pydantic, which a team at home does not have (knobellib.python_kit)
if TYPE_CHECKING:
    from contest.games.drawing import Drawing, Ring
    from contest.schema.sections import GameSettings, Programs

Position = TypeVar("Position")
Move = TypeVar("Move")


class FaultRule(StrEnum):
    """How the rules treat a fault: a move that is forbidden, missing, or too late."""

    REPLAY = "the game is discarded and played again once, the second fault disqualifies"
    GAME_LOST = "the game ends and is lost"
    RANDOM_MOVE = "a random move is made instead, and points are taken off"
    NOTHING = "the player does nothing in this turn"


@dataclass(frozen=True)
class KindOfPlay:
    """How the programs of a game are run.

    Three packages have one module per kind, found by `name`: `compiler.builders`,
    `tournament.runners` and `reports.play`. Everything else asks for these facts only.
    """

    name: str
    # a team mails one file of C, also as the letter's text, and its name is one of C (K31)
    is_in_c: bool
    # builds and contest seed determine every result: anybody can compute it again
    is_computed: bool
    has_moves: bool  # games consist of turns; otherwise a pairing is worth one computed number
    is_quick: bool  # hundreds of games a second
    description_lines: int  # a program's description with fewer gets a warning


MACHINE = KindOfPlay(
    "machine", is_in_c=True, is_computed=True, has_moves=True, is_quick=True, description_lines=15
)
"""C programs, linked with our library, on the contest machine."""
TEXT = KindOfPlay(
    "text", is_in_c=False, is_computed=False, has_moves=True, is_quick=False, description_lines=6
)
"""Programs in any language that talk with the referee in lines of text or arguments."""
TABLE = KindOfPlay(
    "table", is_in_c=False, is_computed=True, has_moves=False, is_quick=True, description_lines=6
)
"""A Python function that is called once for every position there is; its table is evaluated
exactly."""


MATCH_POINT = Fraction(500_001, 1_000_000)
"""Of a pairing's points, where they are computed: a match point needs more (H11)."""


class TextProtocol(StrEnum):
    """How the program of a text game is asked for a move."""

    STDIO = "lines"  # one process through many games; a line in, a line out
    ARGV = "arguments"  # started for each move with words as arguments, the move on standard output
    FUNCTION = "function"  # a Python function; its file is imported anew for each move


Words = tuple[str | int | float, ...]


@dataclass(frozen=True)
class GameInfo:
    """The facts about a game that formats, programs and reports need before a game is played."""

    name: str  # lower case, as in contest.toml
    title: str
    min_seats: int
    max_seats: int
    max_turns: int  # no game is longer
    fault_rule: FaultRule
    play: KindOfPlay = TEXT
    protocols: tuple[TextProtocol, ...] = ()  # of a text game; the first is the usual one
    program_name: str = ""  # what the file of a program is called; "" = as the team likes
    # how many of the game's points make one as people count: 2 where it counts in halves
    point: int = 1
    max_answers: int = 0  # of one player; 0: one in each turn
    turn_word: str = "turn"  # what people call one: throw, move, round
    # of a game of few moves: each move, and what it does (`noted`)
    letters: tuple[tuple[str, str], ...] = ()
    has_kit: bool = False  # teams get a software kit (knobellib.kit) to work with at home
    # what happens in it, in a sentence or two for people who have never heard of it
    summary: str = ""


class Game(ABC):
    """A game as the registry knows it: its facts. One whose programs talk has its rules, too
    (TextGame)."""

    @property
    @abstractmethod
    def info(self) -> GameInfo: ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What its class was called with, as JSON values; the software kit makes the same game of
        them."""
        return {}

    def drawn_facts(self, draw: Callable[[int], int]) -> Mapping[str, int]:
        """Return what is drawn for all games of a contest, by name; a secret until the contest
        ends."""
        return {}


class TextGame(Game, Generic[Position, Move]):
    """A game whose programs talk with the referee: the kind of play TEXT. Its rules are functions
    of values.

    Seats count from 0.
    """

    def for_players(
        self, names: Sequence[str], draw: Callable[[int], int]
    ) -> TextGame[Position, Move]:
        """Return the game for players of these names, by seat, after the draws that hold for the
        complete contest.

        By default there is nothing to draw.
        """
        return self

    @abstractmethod
    def start(self, seats: int) -> Position:
        """Return the position before the first turn."""

    @abstractmethod
    def players_to_move(self, position: Position) -> frozenset[int]:
        """Return the seats whose moves the next turn needs; empty when the game is over."""

    @abstractmethod
    def why_illegal(self, position: Position, seat: int, move: Move) -> str | None:
        """Return why the rules forbid this move, in a sentence for the player's team; None if they
        allow it."""

    @abstractmethod
    def apply(self, position: Position, moves: Mapping[int, Move]) -> Position:
        """Return the position after a turn, given an allowed move of each player to move."""

    @abstractmethod
    def points(self, position: Position) -> tuple[int, ...]:
        """Return the points of each seat so far, as integers; the game's page says what they
        mean."""

    def score(self, position: Position) -> tuple[int, ...]:
        """Return how far each seat has got: the more, the better. What decided a game is told by
        it.

        By default the points; a game whose points come at its end says something that moves before
        it.
        """
        return self.points(position)

    @abstractmethod
    def sample_moves(self, position: Position, seat: int) -> Sequence[Move]:
        """Return a few allowed moves of a player to move, the extreme ones among them; at least
        one."""

    def drawing(self, position: Position) -> Drawing | None:
        """Return the position as a board, always of the same size; None, the default: the game has
        no board."""
        return None

    def ring(self, position: Position) -> Ring | None:
        """Return the position as a ring of all players; None, the default: they stand in none."""
        return None

    @property
    def has_picture(self) -> bool:
        """Whether its positions are drawn."""
        start = self.start(self.info.min_seats)
        return bool(self.drawing(start) or self.ring(start))

    @abstractmethod
    def apply_with_faults(
        self, position: Position, moves: Mapping[int, Move], draw: Callable[[int], int]
    ) -> Position:
        """Return the position after a turn in which the players to move that are missing in `moves`
        were at fault.

        `draw(n)` gives a random number in 0..n-1. Never called where the fault rule is REPLAY.
        """

    def carried_out(
        self, position: Position, moves: Mapping[int, Move], draw: Callable[[int], int]
    ) -> Mapping[int, Move]:
        """Return what happens in a turn without faults: by default, the players' own moves.

        A game with noise changes some by chance, to other allowed moves. `draw` is as above.
        """
        return moves

    def replacement_move(self, position: Position, seat: int) -> Move | None:
        """Return the move that the rules made for a seat whose fault led to this position; None,
        the default, for no move."""
        return None

    @abstractmethod
    def question(self, position: Position, seat: int, protocol: TextProtocol) -> Words:
        """Return what the program of a player to move is told: the words of a line, arguments, or
        parameters."""

    def game_over_message(self, position: Position, seat: int) -> Words:
        """Return what the program is told after the game, by default nothing; it does not answer.
        STDIO only."""
        return ()

    @abstractmethod
    def answer(self, position: Position, seat: int, text: str) -> Move:
        """Return the move that the program's answer means. Raises ValueError with a sentence for
        its team.

        Says nothing about whether the move is allowed: that is `why_illegal`.
        """


@dataclass(frozen=True)
class GamePlugin:
    """A game as the registry knows it: its name, its section `[game]` of contest.toml, and how to
    make it.

    `make` also gets the limits of programs, for games that tell their players how long they may
    think. `rules` is the text that participants get, in Markdown, and `samples` are programs to
    play against, by file name; a built-in game has a page in docs/games and files in
    knobellib/opponents instead. `templates` holds what mails say about this game, by the name of
    the part (see `reports.render`); a built-in game has files in reports/templates/games instead.
    """

    name: str
    settings: type[GameSettings]
    make: Callable[[Any, Programs], Game]
    rules: str = ""
    samples: Mapping[str, bytes] = field(default_factory=dict)
    templates: Mapping[str, str] = field(default_factory=dict)
