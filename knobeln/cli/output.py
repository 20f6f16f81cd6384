"""How commands print for people: tables, facts and notes."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

import click
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from contest.util.sanitize import sanitize
from knobeln.cli.answers import is_quiet
from knobeln.cli.contest_option import says_little

# Without colours there is no boldness and no moving bar either.
console = Console(highlight=False, force_terminal=False if os.environ.get("NO_COLOR") else None)

count_option = click.option(
    "--count",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Show at most this many entries, the newest ones.",
)
_MAX_WORD = 30  # columns; a longer word, such as an address on the web, may be broken


def remark(text: str, *, err: bool = False) -> None:
    """Print what nobody asked for: what was done, what comes next. With -q or --json print
    nothing."""
    if not is_quiet():
        click.echo(text, err=err)


def moment(at: datetime | None) -> str:
    """Return a time like 1994-05-14 12:00 UT; "" for None."""
    return "" if at is None else at.strftime("%Y-%m-%d %H:%M UT")


def table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    drop: Sequence[str] = (),
    is_list: bool = False,
) -> None:
    """Print a table. A column whose name begins with '#' is numeric; the '#' is not printed.

    `drop`: the columns to leave out on a narrow terminal, the least important first. Without a
    terminal every row is a line with tabs; of a list nothing but these rows is printed, of figures
    also what they are.
    """
    # Much of it is strangers' text: no control characters.
    cells = [[sanitize(str(cell), one_line=True, replacement="?") for cell in row] for row in rows]
    names = [name.removeprefix("#") for name in columns]
    if on_terminal():
        _draw(title, columns, names, cells, drop)
    elif is_list:
        _print_rows(cells)
    else:
        _print_rows([*([[title]] if title else []), names, *cells])


def _draw(
    title: str,
    columns: Sequence[str],
    names: Sequence[str],
    cells: Sequence[Sequence[str]],
    drop: Sequence[str],
) -> None:
    """Draw the table on the terminal, with the columns that fit."""
    by_column = [(name, *(row[at] for row in cells)) for at, name in enumerate(names)]
    shown = _that_fit(columns, [_least(texts) for texts in by_column], drop)
    widths: Sequence[int | None] = _widths([by_column[at] for at in shown]) or [None] * len(shown)
    whole = Table(header_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for at, width in zip(shown, widths, strict=True):
        justify: JustifyMethod = "right" if columns[at].startswith("#") else "left"
        whole.add_column(names[at], justify=justify, overflow="fold", width=width)
    for row in cells:
        whole.add_row(*(Text(row[at]) for at in shown))
    if title:
        console.print(Text(title, style="italic"))
    console.print(whole)
    if missing := [name for at, name in enumerate(names) if at not in shown]:
        remark(
            f"This terminal is too narrow for: {', '.join(missing)}. With `| less -S` you see all."
        )


def _least(texts: Iterable[str]) -> int:
    """Return the columns that the texts need at least: those of the longest word."""
    return max(min(cell_len(word), _MAX_WORD) for text in texts for word in (text.split() or [""]))


def _that_fit(columns: Sequence[str], least: Sequence[int], drop: Sequence[str]) -> list[int]:
    """Return the places of the columns that have room, when as few as possible are dropped."""
    shown = list(range(len(columns)))
    for name in drop:
        if _width_of_table(least[at] for at in shown) <= console.width:
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
    for at, texts in enumerate(by_column):
        more = min(room, max(map(cell_len, texts)) - widths[at])
        widths[at], room = widths[at] + more, room - more
    return widths


def _width_of_table(widths: Iterable[int]) -> int:
    return sum(width + 2 for width in widths) + 1  # two blanks after each, and one before the first


def print_facts(facts: Mapping[str, object]) -> None:
    """Print each fact on its own line, after its name."""
    width = max(map(len, facts))
    for name, value in facts.items():
        text = sanitize(str(value), one_line=True, replacement="?")  # much of it is strangers' text
        click.echo(f"{name:{width}}  {text}".rstrip())


@contextmanager
def busy(text: str) -> Iterator[None]:
    """Show on the terminal that something is being done, as long as the context lasts."""
    if is_quiet():
        yield
        return
    with console.status(text):
        yield


def on_terminal() -> bool:
    """Return whether standard output is a terminal, which bounds the length of a row."""
    return sys.stdout.isatty()


def print_whole(text: str) -> None:
    """Print on the terminal as it fits; without a terminal print whole lines."""
    if on_terminal():
        console.print(text, markup=False)
    else:
        click.echo(text)


def below(text: str) -> None:
    """Print a line about a list, whose rows alone are on standard output without a terminal."""
    click.echo(text, err=not on_terminal())


def _print_rows(rows: Iterable[Sequence[str]]) -> None:
    for row in rows:
        click.echo("\t".join(row))


def tell_of_more(shown: Collection[object], total: int) -> None:
    """Say on standard error if a list shows only the newest of its entries."""
    if len(shown) < total and not says_little():
        click.echo(f"Showing the newest {len(shown)} of {total:,}; --count shows more.", err=True)
