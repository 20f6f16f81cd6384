"""`knobeln class`: a class list, and marks for it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from knobeln.cli.contest_option import ContestGroup
from knobeln.cli.dry_run import dry_run_option, organizer_actions, print_outcome
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import remark
from knobeln.organizer import class_list
from knobeln.organizer.marks import Mark, marks_of
from reports.site.tables import Column, Table, as_csv, cell


@click.group("class", cls=ContestGroup)
def class_() -> None:
    """Invite a class from a list, and print its marks."""


@class_.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--again", is_flag=True, help="Remind those, too, who were invited before and have not registered."
)
@dry_run_option
def invite(file: Path, again: bool, dry_run: bool) -> None:
    """Send a personal registration form to everybody in a class list.

    FILE is CSV, as spreadsheets and campus systems export it. Its first row names the columns: `mail` is
    needed; `name` (or `first name` and `last name`), `team`, `organization` and the contest's own fields go
    into the form. Rows with the same team get one form, at the first address. Who replies with the form is
    registered. Who is registered, or was invited before, gets no second mail, so that you can give the
    command again with a longer list.
    """
    contest = open_contest()
    found = class_list.read(file.read_bytes(), contest.settings)
    with organizer_actions(contest, dry_run=dry_run) as organizer:
        done = organizer.invite([*class_list.forms(found.people, contest.settings)], again=again)
    if found.unused:
        remark(f"Columns that were left out: {', '.join(found.unused)}", err=True)
    print_outcome(done, dry_run=dry_run)


@class_.command()
def marks() -> None:
    """Print a row for each team member with its results, as CSV.

    A row has the member, its team and mail address, how many programs the team sent, how many were accepted
    and when, the last round that it reached, and after the contest rank, points, failures, and rank and share
    in the evolution. It is for you alone: it names people.
    """
    columns = tuple(Column(name, name) for name in Mark._fields)
    rows = tuple(
        tuple(cell(value.isoformat() if isinstance(value, datetime) else value) for value in mark)
        for mark in marks_of(open_contest())
    )
    click.echo(as_csv(Table("marks", "Marks", columns, rows)), nl=False)
