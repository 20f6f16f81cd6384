"""`knobeln hold`."""

from __future__ import annotations

import click

from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import organizer_actions, print_outcome, reason_option
from knobeln.cli.open_contest import open_contest


@click.command(cls=ContestCommand)
@reason_option
def hold(reason: str) -> None:
    """Hold contest-day reports, queued and future."""
    with organizer_actions(open_contest()) as organizer:
        done = organizer.hold(reason)
    print_outcome(done)
