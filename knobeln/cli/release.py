"""`knobeln release`."""

from __future__ import annotations

import click

from contest.store import outbox
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import dry_run_option, organizer_actions, print_mails, print_outcome
from knobeln.cli.open_contest import open_contest


@click.command(cls=ContestCommand)
@click.option("--reason", default="", help="Why; for the log.")
@dry_run_option
def release(reason: str, dry_run: bool) -> None:
    """Release the contest-day reports that `hold` keeps. Future reports go out as usual."""
    contest = open_contest()
    with organizer_actions(contest, dry_run=dry_run) as organizer:
        if dry_run:
            print_mails(contest, organizer.tx, outbox.held_reports(organizer.tx))
        done = organizer.release(reason)
    print_outcome(done, dry_run=dry_run)
