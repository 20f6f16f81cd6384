"""Write down the pictures of a game for the script that draws them: what each turn changed.
Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from contest.games.drawing import Course, Drawing, Ring, Square

Part = TypeVar("Part")


@dataclass(frozen=True)
class Pictures:
    """`view` says how to draw them, `facts` what holds for all of them, as JSON.

    `captions` and `changes` are for the position before the first turn and after each. A change is
    JSON: in the first picture all, and in each further one what is not as it was in the one before.
    """

    view: str
    facts: str
    captions: tuple[str, ...]
    changes: tuple[str, ...]


def pictures_of(course: Course) -> Pictures | None:
    """The pictures of a game; None if it has none."""
    if course.drawings:
        return _boards(course.drawings)
    return _rings(course.rings) if course.rings else None


def _boards(drawings: Sequence[Drawing]) -> Pictures:
    """`{"s": [[number, text, small text, style] ...], "p": [purse, ...]}`; without `p` nobody
    pays."""
    last = drawings[-1]
    facts = {
        "rows": len(last.rows),
        "columns": len(last.rows[0]),
        "block": last.block,
        "signs": last.signs,
        "purses": drawings[0].purses,
    }
    changes = []
    for squares, drawing in zip(
        _changed([drawing.squares for drawing in drawings]), drawings, strict=True
    ):
        board = {
            "s": [[number, square.text, square.small, _style(square)] for number, square in squares]
        }
        changes.append(_json(board | ({"p": list(drawing.purses)} if drawing.purses else {})))
    return Pictures(
        "board", _json(facts), tuple(drawing.caption for drawing in drawings), tuple(changes)
    )


def _style(square: Square) -> str:
    """Whose sign (`s0`), whose ground (`g0`), whether the turn changed it, whether it may be played
    next."""
    seat = [] if square.seat is None else [f"s{square.seat}"]
    ground = [] if square.ground is None else [f"g{square.ground}"]
    return " ".join([*seat, *ground, *["now"] * square.changed, *["legal"] * square.legal])


def _rings(rings: Sequence[Ring]) -> Pictures:
    """`{"f": [[seat, health, stock, text, 1 if covered] ...], "a": [[from, to] ...]}`."""
    changes = []
    figures_of_turns = _changed([ring.figures for ring in rings])
    for figures, ring in zip(figures_of_turns, rings, strict=True):
        shown = [[n, f.health, f.stock, f.text, int(f.covered)] for n, f in figures]
        changes.append(_json({"f": shown, "a": ring.arrows}))
    return Pictures(
        "ring",
        _json({"full": rings[0].full}),
        tuple(ring.caption for ring in rings),
        tuple(changes),
    )


def _changed(pictures: Sequence[Sequence[Part]]) -> list[list[tuple[int, Part]]]:
    """Return the parts of each picture that differ from the one before, with their numbers."""
    changes = [list(enumerate(pictures[0]))]
    for before, after in pairwise(pictures):
        both = enumerate(zip(before, after, strict=True))
        changes.append([(number, new) for number, (old, new) in both if new != old])
    return changes


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
