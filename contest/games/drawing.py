"""Positions of games with a board, as squares that a page or a terminal can draw. Pure.

A game is drawn if it has a method `drawing`; nothing else depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

Position_contra = TypeVar("Position_contra", contravariant=True)


@dataclass(frozen=True)
class Square:
    """One square. Seats count from 0; None = nobody's."""

    text: str = ""  # a sign or two in the middle
    seat: int | None = None  # whose sign it is
    ground: int | None = None  # whose the ground is
    small: str = ""  # further text in small letters
    changed: bool = False  # by the last turn


@dataclass(frozen=True)
class Drawing:
    """A position: squares row by row, each seat's sign, and a line of text below."""

    rows: tuple[tuple[Square, ...], ...]
    signs: tuple[str, ...] = ()
    caption: str = ""
    block: int = 0  # after so many rows and columns there is a heavier line; 0 = no such line

    @property
    def squares(self) -> tuple[Square, ...]:
        return tuple(square for row in self.rows for square in row)


@dataclass(frozen=True)
class Course:
    """How a game went: each seat's points after each turn, and the positions before the first turn and after
    each. `drawings` is () if the game has no board."""

    points: tuple[tuple[int, ...], ...]
    drawings: tuple[Drawing, ...] = ()


@runtime_checkable
class Drawn(Protocol[Position_contra]):
    """A game that has a board."""

    def drawing(self, position: Position_contra, /) -> Drawing:
        """The position; all positions of a game have the same number of rows and columns."""
