"""`knobeln resume`."""

from __future__ import annotations

import click

from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import organizer_actions, print_outcome
from knobeln.cli.open_contest import open_contest


@click.command(cls=ContestCommand)
@click.option("--reason", default="", help="Why; for the log.")
def resume(reason: str) -> None:
    """Let the contest day go on. A `knobeln run` that waits goes on at once."""
    with organizer_actions(open_contest()) as organizer:
        done = organizer.resume(reason)
    print_outcome(done)
