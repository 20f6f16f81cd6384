"""Brackets and boards on the organizer's terminal, as text. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from contest.games.drawing import Drawing, Square
from contest.games.game import GameInfo
from contest.model import RoundOutcome
from reports.bracket import all_lines, matches_of, round_lines, sides_of

T = TypeVar("T")


def bracket(history: Sequence[RoundOutcome], game: GameInfo) -> str:
    """A knock-out's bracket, and the matches of its last round."""
    return "\n".join(_bracket_lines(history, game))


def _bracket_lines(history: Sequence[RoundOutcome], game: GameInfo) -> Iterator[str]:
    for side, tree in all_lines(history, game.point).items():
        yield from (side.capitalize(), *tree, "")
    matches = matches_of(history[-1:])
    for side in sides_of(matches):
        of_side = [match for match in matches if match.side == side]
        yield from (
            f"Round {history[-1].plan.number}, {side}",
            *round_lines(of_side, game.point),
            "",
        )


def board_text(drawing: Drawing, names: Sequence[str]) -> str:
    """Signs, with a point for an empty square, and lines between the blocks; then whose they are,
    by seat, and the caption."""
    width = max(len(_sign(square)) for square in drawing.squares)

    def line(row: Sequence[Square]) -> str:
        return " | ".join(_signs(part, width) for part in _parts(row, drawing.block))

    lines = [line(row) for row in drawing.rows]
    across = "".join("+" if sign == "|" else "-" for sign in lines[0])
    grid = f"\n{across}\n".join("\n".join(block) for block in _parts(lines, drawing.block))
    players = ", ".join(
        f"{sign} is {name}" for sign, name in zip(drawing.signs, names, strict=False)
    )
    return "\n".join(filter(None, (f"{grid}\n", players, drawing.caption))) + "\n"


def _parts(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """Split the items into parts of this size; 0 = one part."""
    step = size or len(items)
    return [items[start : start + step] for start in range(0, len(items), step)]


def _signs(squares: Sequence[Square], width: int) -> str:
    return " ".join(f"{_sign(square):<{width}}" for square in squares)


def _sign(square: Square) -> str:
    return square.text or "."
