"""`knobeln invite`."""

from __future__ import annotations

from pathlib import Path

import click

from knobeln import class_list
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import dry_run_option, organizer_actions, print_outcome
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import remark


@click.command(cls=ContestCommand)
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
