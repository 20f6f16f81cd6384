"""Positions as pictures: a board of squares, or players in a ring. Pure.

Pages and terminals draw what `TextGame.drawing` returns; pages also draw `TextGame.ring`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
"""The eight lines of a board of 3x3 squares, which count from 0, left to right and top to
bottom."""


def open_lines(owners: Sequence[object], own: object, nobody: object) -> int:
    """Return what the lines that are open to a side are worth to it: 1 for one of its squares in a
    line, 10 for two, 100 for three, and nothing if the other side has one there.

    `owners`: of nine squares; `nobody`: of a free one.
    """
    worth = 0
    for line in LINES:
        held = [owners[square] for square in line]
        signs = held.count(own)
        if signs and signs + held.count(nobody) == len(line):
            worth += 10 ** (signs - 1)
    return worth


@dataclass(frozen=True)
class Square:
    """One square. Seats count from 0; None: nobody."""

    text: str = ""  # one or two signs in the middle
    seat: int | None = None  # the owner of the sign
    ground: int | None = None  # the owner of the ground, which is in its colour
    small: str = ""  # further text in small letters
    changed: bool = False  # by the last turn
    legal: bool = False  # the next move may be made here


@dataclass(frozen=True)
class Drawing:
    """A position: squares row by row, each seat's sign, and a line of text below."""

    rows: tuple[tuple[Square, ...], ...]
    signs: tuple[str, ...] = ()
    caption: str = ""
    block: int = 0  # rows and columns between heavier lines; 0: no such lines
    # what each seat has left to spend, where seats pay for their moves
    purses: tuple[int, ...] = ()

    @property
    def squares(self) -> tuple[Square, ...]:
        return tuple(square for row in self.rows for square in row)


@dataclass(frozen=True)
class Figure:
    """One player of a ring."""

    health: int  # 0: it has fallen
    stock: int = 0  # what it has left to shoot with
    text: str = ""  # what it did in the last turn, in one or two signs
    covered: bool = False  # it protects itself


@dataclass(frozen=True)
class Ring:
    """A position of players in a ring, by seat.

    `arrows`: who shot at whom in the last turn, as pairs of seats. `full`: the health of an unhurt
    player.
    """

    figures: tuple[Figure, ...]
    arrows: tuple[tuple[int, int], ...]
    full: int
    caption: str = ""


@dataclass(frozen=True)
class Course:
    """The course of a game.

    `points`: of each seat, after each turn. `drawings` and `rings`: the positions before the first
    turn and after each turn; () if the game has no such picture.
    """

    points: tuple[tuple[int, ...], ...]
    drawings: tuple[Drawing, ...] = ()
    rings: tuple[Ring, ...] = ()

    @property
    def gains(self) -> list[list[int]]:
        """What each seat won in each turn."""
        gains = [list(points) for points in self.points[:1]]
        for before, after in pairwise(self.points):
            gains.append([now - then for then, now in zip(before, after, strict=True)])
        return gains
