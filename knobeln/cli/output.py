"""How commands print for people: tables, facts and notes."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from shutil import get_terminal_size

import click

from contest.util.sanitize import sanitize
from knobeln.cli.answers import is_quiet
from knobeln.cli.contest_option import says_little

count_option = click.option(
    "--count",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Show at most this many entries, the newest ones.",
)


def remark(text: str, *, err: bool = False) -> None:
    """Print what nobody asked for: what was done, what comes next. With -q or --json print
    nothing."""
    if not is_quiet():
        click.echo(text, err=err)


def moment(when: datetime | None) -> str:
    """Return a time like 1994-05-14 12:00 UT; "" for None."""
    return "" if when is None else when.strftime("%Y-%m-%d %H:%M UT")


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
        from knobeln.cli import terminal  # it takes long to load

        missing = terminal.draw(title, columns, names, cells, drop)
        if missing:
            remark(
                f"This terminal is too narrow for: {', '.join(missing)}. With `| less -S` you see"
                " all."
            )
    elif is_list:
        _print_rows(cells)
    else:
        _print_rows([*([[title]] if title else []), names, *cells])


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
    from knobeln.cli.terminal import console

    with console.status(text):
        yield


def on_terminal() -> bool:
    """Return whether standard output is a terminal, which bounds the length of a row."""
    return sys.stdout.isatty()


def print_whole(text: str) -> None:
    """Print on the terminal as it fits; without a terminal print whole lines."""
    if on_terminal():
        from knobeln.cli.terminal import console

        console.print(text, markup=False)
    else:
        click.echo(text)


def print_line(text: str, style: str) -> None:
    """Print what fits on one line, on the terminal in this style."""
    line = sanitize(text)  # much of it is strangers' text
    if on_terminal():
        from knobeln.cli.terminal import draw_line

        draw_line(line, style)
        return
    columns = get_terminal_size().columns
    click.echo(line if len(line) <= columns else f"{line[: columns - 1]}…")


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
