"""The games: what a game is, and which there are.

A game is pure rules: it imports no I/O, no clock and no chance. Built-in games stand in the tuple below;
other packages add theirs by an entry point of the group `knobeln.games` whose object makes a Game.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol, TypeVar

from knobeln.config import GameSettings, Programs
from knobeln.errors import ConfigError, NotFound

Position = TypeVar("Position")
Move = TypeVar("Move")

ENTRY_POINTS = "knobeln.games"


class Ruling(StrEnum):
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
    ruling: Ruling
    dialogues: tuple[Dialogue, ...]  # the first is the usual one
    point: int = 1  # how many of the game's points make one as people count: 2 where it counts in halves
    turn_word: str = "turn"  # what people call one: throw, move, round


class Game(Protocol[Position, Move]):
    """Rules as functions of values. Seats count from 0."""

    @property
    def info(self) -> GameInfo: ...

    def start(self, seats: int) -> Position:
        """The position before the first turn."""

    def awaited(self, position: Position) -> frozenset[int]:
        """The seats whose moves the next turn needs; empty when the game is over."""

    def objection(self, position: Position, seat: int, move: Move) -> str | None:
        """Why the rules forbid this move, in a sentence for the player's team; None if they allow it."""

    def after(self, position: Position, moves: Mapping[int, Move]) -> Position:
        """The position after a turn, given an allowed move of each awaited seat."""

    def points(self, position: Position) -> tuple[int, ...]:
        """What each seat has won so far; whole numbers, a game says in its page what they stand for."""

    def samples(self, position: Position, seat: int) -> Sequence[Move]:
        """A few allowed moves of an awaited seat, the extreme ones among them; at least one."""


class SpokenGame(Game[Position, Move], Protocol):
    """A game whose programs are asked in words: every dialogue but MACHINE."""

    def set_up(self, names: Sequence[str], draw: Callable[[int], int]) -> SpokenGame[Position, Move]:
        """The game for players of these names, by seat, and with everything drawn that stays the same."""

    def after_faults(
        self, position: Position, moves: Mapping[int, Move], draw: Callable[[int], int]
    ) -> Position:
        """The position after a turn in which the awaited seats that are missing in `moves` were at fault.

        `draw(n)` gives a random number in 0..n-1. Never called where the ruling is REPLAY.
        """

    def instead(self, position: Position, seat: int) -> Move | None:
        """The move that the rules made for a seat whose fault led to this position; None = they made none."""

    def question(self, position: Position, seat: int, dialogue: Dialogue) -> Words:
        """What an awaited seat's program is told: a line's words, arguments, or a function's parameters."""

    def farewell(self, position: Position, seat: int) -> Words:
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


def kinds(rows: Iterable[GameKind] | None = None) -> Mapping[str, GameKind]:
    """All games by name. Raises ConfigError for a name given twice."""
    found: dict[str, GameKind] = {}
    for kind in _all_kinds() if rows is None else rows:
        if kind.name in found:
            raise ConfigError(f"two games are called {kind.name!r}; one of the two packages has to go")
        found[kind.name] = kind
    return found


def kind_of(name: str) -> GameKind:
    """The game of this name; NotFound says which there are."""
    known = kinds()
    if name not in known:
        raise NotFound(f"there is no game {name!r}, only {', '.join(sorted(known))}")
    return known[name]


def game_of(settings: GameSettings, programs: Programs) -> Game[Any, Any]:
    """The game with a contest's parameters."""
    return kind_of(settings.name).make(settings, programs)


def game(name: str) -> Game[Any, Any]:
    """The game of this name with its announcement's parameters. Raises NotFound."""
    return game_of(kind_of(name).settings(name=name), Programs())


def rules_text(name: str) -> str:
    """The rules of the game of this name for participants, in Markdown; "" = nobody wrote them down.

    A page may go on behind the mark `END_OF_RULES` with what only readers of this program need.
    """
    page = _pages() / f"{name}.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else kind_of(name).rules
    return text.partition(END_OF_RULES)[0]


END_OF_RULES = "<!-- Participants are sent what stands above. -->"


def _pages() -> Path:
    """Where the games' pages are: in the wheel inside our package, in a checkout in `docs/`."""
    package = Path(__file__).parents[1]
    installed = package / "rules"
    return installed if installed.is_dir() else package.parent / "docs" / "games"


def registered() -> Mapping[str, Game[Any, Any]]:
    """All games by name, with their announcements' parameters."""
    return {name: game(name) for name in kinds()}


def _all_kinds() -> list[GameKind]:
    from knobeln.games import bid_tac_toe, cooperation, hog_game, knobeln, standoff, ultimate_tic_tac_toe

    built_in = (
        knobeln.KIND,
        bid_tac_toe.KIND,
        ultimate_tic_tac_toe.KIND,
        cooperation.KIND,
        cooperation.LEGACY_KIND,
        standoff.KIND,
        hog_game.KIND,
    )
    return [*built_in, *_of_other_packages(tuple(sys.path))]


@lru_cache(maxsize=1)  # to look through all installed packages takes as long as hundreds of games
def _of_other_packages(_path: tuple[str, ...]) -> tuple[GameKind, ...]:
    return tuple(point.load() for point in entry_points(group=ENTRY_POINTS))
