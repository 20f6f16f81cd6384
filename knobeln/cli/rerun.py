"""`knobeln rerun`."""

from __future__ import annotations

import click

from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import dry_run_option, organizer_actions, print_outcome, reason_option
from knobeln.cli.open_contest import open_contest


@click.command(cls=ContestCommand)
@click.argument("number", type=int, metavar="ROUND")
@click.argument("group", type=int, metavar="[GROUP]", required=False)
@reason_option
@dry_run_option
def rerun(number: int, group: int | None, reason: str, dry_run: bool) -> None:
    """Play a round, or one group of it, again, and everything after it.

    The random numbers stay the same, so only what has changed comes out differently. The old results are
    kept, and the teams are told.
    """
    with organizer_actions(open_contest(), dry_run=dry_run) as organizer:
        done = organizer.rerun(number, group, reason)
    print_outcome(done, dry_run=dry_run)
