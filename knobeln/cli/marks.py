"""`knobeln marks`."""

from __future__ import annotations

from datetime import datetime

import click

from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.marks import Mark, marks_of
from reports.site.tables import Column, Table, as_csv, cell


@click.command(cls=ContestCommand)
@answers(tuple[Mark, ...])
def marks() -> None:
    """Print a row for each team member with its results, as CSV.

    A row has the member, its team and mail address, how many programs the team sent, how many were accepted
    and when, the last round that it reached, and after the contest rank, points, failures, and rank and share
    in the evolution. It is for you alone: it names people.
    """
    answer(marks_of(open_contest()), _show)


def _show(found: tuple[Mark, ...]) -> None:
    columns = tuple(Column(name, name) for name in Mark._fields)
    rows = tuple(
        tuple(cell(value.isoformat() if isinstance(value, datetime) else value) for value in mark)
        for mark in found
    )
    click.echo(as_csv(Table("marks", "Marks", columns, rows)), nl=False)
