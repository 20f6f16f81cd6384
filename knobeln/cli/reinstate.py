"""`knobeln reinstate`."""

from __future__ import annotations

import click

from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import dry_run_option, organizer_actions, print_outcome
from knobeln.cli.open_contest import open_contest


@click.command(cls=ContestCommand)
@click.argument("team")
@click.option("--reason", default="", help="Why; for the log, and for the team.")
@dry_run_option
def reinstate(team: str, reason: str, dry_run: bool) -> None:
    """Let TEAM take part again after `disqualify` or `drop`, or if its program is set aside."""
    with organizer_actions(open_contest(), dry_run=dry_run) as organizer:
        done = organizer.reinstate(team, reason)
    print_outcome(done, dry_run=dry_run)
