"""Draw the board of a game on its page: the last position, and what each turn changed. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from contest.games.drawing import Drawing, Square

SIDE = 40  # side of a square, in the picture's own units


@dataclass(frozen=True)
class BoardSquare:
    """A square of the picture, with its upper left corner and the classes of its style."""

    x: int
    y: int
    text: str
    small: str
    style: str


@dataclass(frozen=True)
class BoardPicture:
    """`lines` is a path: the heavy ones between blocks, and the frame.

    `turns` is for the script, as JSON: for the position before the first turn and after each, its caption and
    the squares that are not as they were in the one before (in the first: all), each as its number and the
    text, the small text and the style of its place.
    """

    width: int
    height: int
    side: int
    places: tuple[BoardSquare, ...]
    lines: str
    legend: tuple[str, ...]  # by seat: sign and player
    caption: str
    turns: str


def board(names: Sequence[str], drawings: Sequence[Drawing]) -> BoardPicture:
    """Draw the board of a game of these players, which has at least one position."""
    last = drawings[-1]
    rows, columns = len(last.rows), len(last.rows[0])
    places = tuple(
        BoardSquare(column * SIDE, row * SIDE, square.text, square.small, _style(square))
        for row, squares in enumerate(last.rows)
        for column, square in enumerate(squares)
    )
    width, height = columns * SIDE, rows * SIDE
    across = [f"M0 {row * SIDE}H{width}" for row in _edges(rows, last.block)]
    down = [f"M{column * SIDE} 0V{height}" for column in _edges(columns, last.block)]
    legend = tuple(f"{sign} {name}".strip() for sign, name in zip_longest(last.signs, names, fillvalue=""))
    return BoardPicture(
        width, height, SIDE, places, "".join(across + down), legend, last.caption, _turns(drawings)
    )


def _edges(count: int, block: int) -> range:
    """Before which of so many rows there is a heavy line, and behind the last."""
    return range(0, count + 1, block or count)


def _style(square: Square) -> str:
    """Whose sign (`s0`), whose ground (`g0`), and whether the turn changed it (`now`)."""
    seat = [] if square.seat is None else [f"s{square.seat}"]
    ground = [] if square.ground is None else [f"g{square.ground}"]
    return " ".join([*seat, *ground, *(["now"] if square.changed else [])])


def _turns(drawings: Sequence[Drawing]) -> str:
    first = [(number, square) for number, square in enumerate(drawings[0].squares)]
    found = [(drawings[0].caption, first)]
    for before, after in pairwise(drawings):
        both = enumerate(zip(before.squares, after.squares, strict=True))
        found.append((after.caption, [(number, new) for number, (old, new) in both if new != old]))
    told = [
        [caption, [[number, square.text, square.small, _style(square)] for number, square in squares]]
        for caption, squares in found
    ]
    return json.dumps(told, separators=(",", ":"))
