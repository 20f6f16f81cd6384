"""`knobeln seconds`."""

from __future__ import annotations

import click

from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import dry_run_option, organizer_actions, print_outcome, reason_option
from knobeln.cli.open_contest import open_contest


@click.command(cls=ContestCommand)
@click.argument("seconds", type=float)
@reason_option
@dry_run_option
def seconds(seconds: float, reason: str, dry_run: bool) -> None:
    """Change the time for a move while the contest runs, and tell all teams.

    It counts from the next group on, also for a `knobeln run` at work. Groups that have begun keep the time
    that they had.
    """
    with organizer_actions(open_contest(), dry_run=dry_run) as organizer:
        done = organizer.change_time(seconds, reason)
    print_outcome(done, dry_run=dry_run)
