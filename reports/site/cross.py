"""The cross table of a group: what each team won against each other one, as a map in two colours.
Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from contest.language import decimal, gettext, noted
from reports.scores import Shape, scores
from reports.site import paths
from reports.site.charts import shade
from reports.site.games import points_cell
from reports.site.tables import Cell, Column, Table, cell, name_cell
from reports.site.views import GroupView

# of a larger group the page has the best BEST, and the files have all: pages stay below 300 kB
LARGEST = 44
BEST = 30
# from so many points on the page has thousands, or its columns would be too wide
_THOUSANDS = 10_000

_CAPTIONS = {
    Shape.SINGLE: noted("Points of the team in the row against the team in the column"),
    Shape.SERIES: noted(
        "Points of the team in the row against the team in the column, in all their games"
    ),
    Shape.RATES: noted("How often the strategy in the row wins against that in the column"),
}


@dataclass(frozen=True)
class CrossCell:
    """What the team in the row won against that in the column, as the page has it.

    `exact`: the points in full where `text` is in thousands. `win` is a shade: by how much it won
    or lost; the middle one is equal, None if no game counts or against itself.
    """

    text: str
    exact: str
    link: str
    win: int | None
    won: bool


@dataclass(frozen=True)
class CrossRow:
    """A team's row."""

    rank: int | None
    team: str
    cells: tuple[CrossCell, ...]


@dataclass(frozen=True)
class CrossTable:
    """`table` has all teams, for the files; `rows` the best, for the page, by rank.

    `margin` is the largest difference between two teams, what the last shades mean; "" for rates.
    """

    table: Table
    rows: tuple[CrossRow, ...]
    margin: str
    about_links: str
    in_thousands: bool

    @property
    def left_out(self) -> int:
        """The number of teams that only the files show."""
        return len(self.table.rows) - len(self.rows)


class _Result(NamedTuple):
    """A team's result against another: as a cell of the files, in half points, and per game or as a
    rate."""

    cell: Cell
    half_points: int = 0
    mean: float | None = None  # None: no game counts


_NOTHING = _Result(Cell("-", None))


def cross_table(view: GroupView) -> CrossTable | None:
    """Make the table of the points that each team won against each other one, by rank.

    Returns None for games of many, or if no game counts.
    """
    if view.shape is Shape.MELEE:
        return None
    names = [line.entry for line in view.outcome.standings]
    results = {name: _results(view, name) for name in names}
    squares = [[results[row].get(column, _NOTHING) for column in names] for row in names]
    if all(result.mean is None for row in squares for result in row):
        return None
    columns = (
        Column("number", noted("no."), numeric=True),
        Column("team", noted("team")),
        *(Column(name, name, numeric=True) for name in names),
    )
    lines = tuple(
        (cell(number), name_cell(name, paths.team(name)), *(result.cell for result in row))
        for number, (name, row) in enumerate(zip(names, squares, strict=True), start=1)
    )
    return _drawn(view, Table("games", gettext(_CAPTIONS[view.shape]), columns, lines), squares)


def _drawn(view: GroupView, table: Table, squares: Sequence[Sequence[_Result]]) -> CrossTable:
    """Give the results between the best their shades."""
    shown = len(squares) if len(squares) <= LARGEST else BEST
    best = [row[:shown] for row in squares[:shown]]
    margins = _margins(best)
    are_rates = view.shape is Shape.RATES
    unit = 1 if are_rates else 2 * view.game.point
    in_thousands = not are_rates and _has_thousands(best, unit)
    limit = 1.0 if are_rates else _largest(margins)
    style = _Style(unit, limit, are_rates, in_thousands)
    rows = tuple(
        CrossRow(line.rank, line.entry, _cells(row, best[row], margins[row], style))
        for row, line in enumerate(view.outcome.standings[:shown])
    )
    return CrossTable(
        table,
        rows,
        margin="" if are_rates else decimal(f"{limit / unit:,.7g}"),
        about_links=_about_links(view.shape, rows),
        in_thousands=in_thousands,
    )


class _Style(NamedTuple):
    """How the results of a table are written. `unit`: what one point is; `limit`: the margin of the
    last shade."""

    unit: float
    limit: float
    are_rates: bool
    in_thousands: bool


def _margins(best: Sequence[Sequence[_Result]]) -> Sequence[Sequence[float | None]]:
    """By how much each team was better against each other one than that one against it."""
    margins = []
    for row_number, row in enumerate(best):
        theirs = [best[to][row_number].mean for to in range(len(row))]
        margins.append(
            [_less(result.mean, other) for result, other in zip(row, theirs, strict=True)]
        )
    return margins


def _largest(margins: Sequence[Sequence[float | None]]) -> float:
    sizes = (abs(margin) for row in margins for margin in row if margin is not None)
    return max(sizes, default=0.0)


def _has_thousands(best: Sequence[Sequence[_Result]], unit: int) -> bool:
    return any(result.half_points >= _THOUSANDS * unit for row in best for result in row)


def _cells(
    row: int, results: Sequence[_Result], margins: Sequence[float | None], style: _Style
) -> tuple[CrossCell, ...]:
    """The row of the team at this place."""
    return tuple(
        _cell(result, margin, style, is_own=row == to)
        for to, (result, margin) in enumerate(zip(results, margins, strict=True))
    )


def _cell(result: _Result, margin: float | None, style: _Style, *, is_own: bool) -> CrossCell:
    """`is_own`: of a team against itself, which is neither better nor worse."""
    return CrossCell(
        _short(result, style),
        result.cell.text if style.in_thousands and result.mean is not None else "",
        result.cell.link,
        win=None if margin is None or is_own else shade(margin, -style.limit, style.limit),
        won=margin is not None and margin > 0,
    )


def _less(mine: float | None, theirs: float | None) -> float | None:
    return None if mine is None or theirs is None else mine - theirs


def _short(result: _Result, style: _Style) -> str:
    """The result in as few signs as tell it."""
    if result.mean is None:
        return result.cell.text
    if style.are_rates:
        return decimal(f"{result.mean:.2f}")
    if style.in_thousands:
        return decimal(f"{result.half_points / style.unit / 1000:.1f}")
    return result.cell.text


def _results(view: GroupView, name: str) -> Mapping[str, _Result]:
    """The member's results by opponent; the link is to the first of their games that has one."""
    results: dict[str, _Result] = {}
    for score, (_, tried) in zip(scores(view.own[name]), view.own[name].tried, strict=True):
        counted, half_points = len(score.counted), score.own
        if not counted:
            continue
        link = next(filter(None, map(view.link, tried)), "")
        if view.shape is Shape.RATES:
            rate = half_points / (half_points + score.theirs or 1)
            results[score.opponent] = _Result(
                Cell(decimal(score.rate), float(score.rate), link), half_points, rate
            )
        else:
            shown = points_cell(half_points, view.game.point, link)
            results[score.opponent] = _Result(shown, half_points, half_points / counted)
    return results


def _about_links(shape: Shape, rows: Sequence[CrossRow]) -> str:
    """Say which cells of the table lead to games; "" if none can."""
    cells = [cell for row in rows for cell in row.cells if cell.text != _NOTHING.cell.text]
    linked = sum(bool(cell.link) for cell in cells)
    if shape is Shape.RATES or not cells:
        return ""
    if not linked:
        return gettext("These games cannot be replayed.")
    return gettext("An underlined number leads to the game of the two, or to their first.")
