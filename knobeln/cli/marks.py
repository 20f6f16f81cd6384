"""`knobeln marks`."""

from __future__ import annotations

from dataclasses import asdict, fields
from datetime import datetime

import click

from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import json_option, print_json
from knobeln.marks import Mark, marks_of
from reports.site.tables import Column, Table, as_csv, cell


@click.command(cls=ContestCommand)
@json_option
def marks(as_json: bool) -> None:
    """Print a row for each team member with its results, as CSV.

    A row has the member, its team and mail address, how many programs the team sent, how many were accepted
    and when, the last round that it reached, and after the contest rank, points, failures, and rank and share
    in the evolution. It is for you alone: it names people.
    """
    found = [asdict(mark) for mark in marks_of(open_contest())]
    if as_json:
        print_json(found)
        return
    columns = tuple(Column(field.name, field.name) for field in fields(Mark))
    rows = tuple(
        tuple(cell(value.isoformat() if isinstance(value, datetime) else value) for value in row.values())
        for row in found
    )
    click.echo(as_csv(Table("marks", "Marks", columns, rows)), nl=False)
