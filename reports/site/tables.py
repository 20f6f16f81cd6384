"""A page before it is written, and its tables, which are CSV beside the page. Pure.

In CSV stand values: numbers as numbers, points as people count them, nothing as nothing.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction

from contest.language import date, gettext, translated

Value = int | float | str | bool | None
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text, and its value for programs.

    `spark`: a small picture beside the text, which says the same (see `reports.site.charts`). `at`:
    the moment that the text tells.
    """

    text: str
    value: Value
    link: str = ""  # from the site's root
    head: bool = False  # names the row
    spark: str = ""
    at: datetime | None = None


@dataclass(frozen=True)
class Column:
    """A column. `key`: its name in CSV. `spoken`: the full heading if `title` is an abbreviation.
    Both are English (`noted`); the page shows their translations.

    `optional`: the page leaves it out where it says nothing, in all rows nothing or 0.
    """

    key: str
    title: str
    numeric: bool = False
    spoken: str = ""
    optional: bool = False


@dataclass(frozen=True)
class Table:
    """A table. `name` is part of the names of its files; each row is as long as `columns`."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def shown(self) -> Table:
        """The table as it is on the page."""
        silent = {
            index
            for index, column in enumerate(self.columns)
            if column.optional and not any(row[index].value for row in self.rows)
        }
        if not silent:
            return self
        columns = [index for index in range(len(self.columns)) if index not in silent]
        return replace(
            self,
            columns=tuple(self.columns[index] for index in columns),
            rows=tuple(tuple(row[index] for index in columns) for row in self.rows),
        )

    @property
    def is_all_numeric(self) -> bool:
        """Whether all cells are numbers without links; said once, this makes a long table much
        shorter."""
        return all(column.numeric for column in self.columns) and not any(
            c.link for r in self.rows for c in r
        )

    @property
    def pairs(self) -> Sequence[Sequence[tuple[Column, Cell]]]:
        """Each row's cells, with their columns."""
        return [list(zip(self.columns, row, strict=True)) for row in self.rows]


def cell(value: Value, link: str = "") -> Cell:
    """A cell that shows the value as it is; None gives an empty cell."""
    if isinstance(value, bool):
        return Cell(gettext("yes") if value else gettext("no"), value, link)
    return Cell("" if value is None else str(value), value, link)


def word_cell(word: str) -> Cell:
    """A word of ours (`noted`): translated on the page, English in CSV."""
    return Cell(translated(word), word)


def name_cell(name: str, link: str = "") -> Cell:
    """Make the cell that names the row."""
    return Cell(name, name, link, head=True)


def time_cell(moment: datetime) -> Cell:
    """A moment, which the page also tells in the reader's own time."""
    return Cell(date(moment), moment.isoformat(), at=moment)


def points_value(half_points: int, point: int) -> Value:
    """Half points as a number: whole where it is one."""
    value = Fraction(half_points, 2 * point)
    return value.numerator if value.denominator == 1 else float(value)


def as_csv(table: Table) -> str:
    """Return CSV (RFC 4180) with a row of names. Text that a spreadsheet would compute gets a
    leading `'`."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(_harmless(column.key) for column in table.columns)
    writer.writerows(_values(row) for row in table.rows)
    return stream.getvalue()


def _values(row: Iterable[Cell]) -> list[Value]:
    return [_harmless(c.value) if isinstance(c.value, str) else c.value for c in row]


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


@dataclass(frozen=True)
class Page:
    """`path` and template of a page, its title, what the template is told, and the tables that get
    files."""

    path: str
    template: str
    title: str
    facts: Mapping[str, object]
    tables: tuple[Table, ...] = ()
