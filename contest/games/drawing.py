"""Positions of games with a board, as squares that a page or a terminal can draw. Pure.

Pages and terminals draw a game if it has a method `drawing`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

Position_contra = TypeVar("Position_contra", contravariant=True)


@dataclass(frozen=True)
class Square:
    """One square. Seats count from 0; None: nobody."""

    text: str = ""  # one or two signs in the middle
    seat: int | None = None  # the owner of the sign
    ground: int | None = None  # the owner of the ground, which is in its colour
    small: str = ""  # further text in small letters
    changed: bool = False  # by the last turn


@dataclass(frozen=True)
class Drawing:
    """A position: squares row by row, each seat's sign, and a line of text below."""

    rows: tuple[tuple[Square, ...], ...]
    signs: tuple[str, ...] = ()
    caption: str = ""
    block: int = 0  # rows and columns between heavier lines; 0: no such lines

    @property
    def squares(self) -> tuple[Square, ...]:
        return tuple(square for row in self.rows for square in row)


@dataclass(frozen=True)
class Course:
    """The course of a game.

    `points`: of each seat, after each turn. `drawings`: the positions before the first turn and after each
    turn; () if the game has no board.
    """

    points: tuple[tuple[int, ...], ...]
    drawings: tuple[Drawing, ...] = ()


@runtime_checkable
class Drawn(Protocol[Position_contra]):
    """A game that has a board."""

    def drawing(self, position: Position_contra, /) -> Drawing:
        """Draw the position. All positions of a game have the same number of rows and columns."""
