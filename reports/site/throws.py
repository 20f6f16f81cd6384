"""Make the page of a game of KNOBELN: throws, series, running points. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from contest.games.base import GameInfo
from contest.games.knobeln import throw_points
from contest.model import Moves, Verdict
from reports.site import charts
from reports.site.games import GameKey, GamePage, player_names, result_table
from reports.site.tables import Cell, Column, Table, cell, name_cell


def throw_page(
    key: GameKey, moves: Sequence[Moves], game: GameInfo, verdicts: Mapping[Verdict, str]
) -> GamePage:
    """Make the page of a game of KNOBELN; the rules give the points of each throw."""
    throws = [(int(a), int(b)) for a, b in moves]  # type: ignore[arg-type]
    sides = list(zip(*throws, strict=True))
    won = list(zip(*(throw_points(*pair) for pair in throws), strict=True))
    totals = [list(accumulate(of_one)) for of_one in won]
    starts = [_starts(side) for side in sides]
    names = player_names(key.match)
    return GamePage(
        key,
        result_table(key, game, verdicts),
        game.turn_word,
        _throw_table(names, sides, won, totals, starts),
        _series_table(names, sides, won, starts),
        charts.throw_curves(names, sides, starts),
        charts.point_curves(names, totals),
        None,
    )


def _starts(side: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers (from 1) of the throws that begin a series (K6)."""
    return (1, *(at + 1 for at in range(1, len(side)) if side[at] < side[at - 1]))


def _throw_table(
    names: Sequence[str],
    sides: Sequence[Sequence[int]],
    won: Sequence[Sequence[int]],
    totals: Sequence[Sequence[int]],
    starts: Sequence[Sequence[int]],
) -> Table:
    columns = [Column("throw", "throw", numeric=True)]
    for seat, name in enumerate(names, start=1):
        columns += [
            Column(f"number_{seat}", name, numeric=True, spoken=f"{name}: number thrown"),
            Column(f"points_{seat}", "points", numeric=True, spoken=f"{name}: points of the throw"),
            Column(f"total_{seat}", "total", numeric=True, spoken=f"{name}: points so far"),
        ]
    begins = [frozenset(of_one) for of_one in starts]
    rows = tuple(
        (
            Cell(str(number), number, head=True),
            *(
                part
                for seat, side in enumerate(sides)
                for part in (
                    Cell(f"{'▸' if number in begins[seat] else ''}{side[number - 1]}", side[number - 1]),
                    cell(won[seat][number - 1]),
                    cell(totals[seat][number - 1]),
                )
            ),
        )
        for number in range(1, len(sides[0]) + 1)
    )
    return Table("throws", "All throws (▸ begins a series)", tuple(columns), rows)


def _series_table(
    names: Sequence[str],
    sides: Sequence[Sequence[int]],
    won: Sequence[Sequence[int]],
    starts: Sequence[Sequence[int]],
) -> Table:
    columns = (
        Column("player", "player"),
        *(
            Column(key, title, numeric=True)
            for key, title in (
                ("series", "series"),
                ("first_throw", "from throw"),
                ("last_throw", "to throw"),
                ("length", "throws"),
                ("lowest", "from"),
                ("highest", "to"),
                ("points", "points"),
            )
        ),
    )
    rows = tuple(
        (
            name_cell(name),
            *map(cell, (number, first, last, last - first + 1, side[first - 1], side[last - 1])),
            cell(sum(of_one[first - 1 : last])),
        )
        for name, side, of_one, begins in zip(names, sides, won, starts, strict=True)
        for number, (first, last) in enumerate(
            zip(begins, [*(at - 1 for at in begins[1:]), len(side)], strict=True), start=1
        )
    )
    return Table("series", "Series", columns, rows)
