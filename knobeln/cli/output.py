"""How commands print: JSON for programs, rich tables for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from contest.sanitize import sanitize

console = Console(highlight=False)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
count_option = click.option(
    "--count", default=50, show_default=True, help="Show at most this many entries, the newest ones."
)


def print_json(value: object) -> None:
    """Print a value as JSON, with times as ISO 8601 in UTC."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=_plain))


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be printed as JSON")


def moment(at: datetime | None) -> str:
    """Return a time like 1994-05-14 12:00 UT; "" for None."""
    return "" if at is None else at.strftime("%Y-%m-%d %H:%M UT")


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table. A column whose name begins with '#' is numeric; the '#' is not printed."""
    shown = Table(
        title=title, title_justify="left", header_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    for name in columns:
        numeric = name.startswith("#")
        shown.add_column(name.removeprefix("#"), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        # Much of it is strangers' text: no control characters.
        shown.add_row(*(Text(sanitize(str(cell), one_line=True, replacement="?")) for cell in row))
    console.print(shown)
