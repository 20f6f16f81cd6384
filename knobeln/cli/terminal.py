"""Tables and words on a terminal. It is loaded when there is one, because rich takes its time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

# Without colours there is no boldness and no moving bar either.
console = Console(highlight=False, force_terminal=False if os.environ.get("NO_COLOR") else None)

_MAX_WORD = 30  # columns; a longer word, such as an address on the web, may be broken


def draw(
    title: str,
    columns: Sequence[str],
    names: Sequence[str],
    cells: Sequence[Sequence[str]],
    drop: Sequence[str],
) -> Sequence[str]:
    """Draw the table with the columns that fit; return the names of the others."""
    by_column = []
    for index, name in enumerate(names):
        texts = [row[index] for row in cells]
        by_column.append([name, *texts])
    shown = _that_fit(columns, [_least(texts) for texts in by_column], drop)
    widths: Sequence[int | None] = _widths([by_column[index] for index in shown]) or [None] * len(
        shown
    )
    whole = Table(header_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for index, width in zip(shown, widths, strict=True):
        justify: JustifyMethod = "right" if columns[index].startswith("#") else "left"
        whole.add_column(names[index], justify=justify, overflow="fold", width=width)
    for row in cells:
        whole.add_row(*(Text(row[index]) for index in shown))
    if title:
        console.print(Text(title, style="italic"))
    console.print(whole)
    return [name for index, name in enumerate(names) if index not in shown]


def draw_line(text: str, style: str) -> None:
    """Print what fits on one line."""
    console.print(Text(text, style=style), no_wrap=True, overflow="ellipsis")


def _least(texts: Iterable[str]) -> int:
    """Return the columns that the texts need at least: those of the longest word."""
    return max(min(cell_len(word), _MAX_WORD) for text in texts for word in (text.split() or [""]))


def _that_fit(columns: Sequence[str], least: Sequence[int], drop: Sequence[str]) -> list[int]:
    """Return the places of the columns that have room, when as few as possible are dropped."""
    shown = list(range(len(columns)))
    for name in drop:
        if _width_of_table(least[index] for index in shown) <= console.width:
            break
        shown.remove(columns.index(name))
    return shown


def _widths(by_column: Sequence[Sequence[str]]) -> list[int] | None:
    """Share the room out: the least that each needs, and what is left from the first column on.

    None if there is not enough for all.
    """
    widths = [_least(texts) for texts in by_column]
    room = console.width - _width_of_table(widths)
    if room < 0:
        return None
    for index, texts in enumerate(by_column):
        more = min(room, max(map(cell_len, texts)) - widths[index])
        widths[index] += more
        room -= more
    return widths


def _width_of_table(widths: Iterable[int]) -> int:
    return sum(width + 2 for width in widths) + 1  # two blanks after each, and one before the first
