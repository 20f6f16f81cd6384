"""`knobeln pause`."""

from __future__ import annotations

import click

from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import organizer_actions, print_outcome, reason_option
from knobeln.cli.open_contest import open_contest


@click.command(cls=ContestCommand)
@reason_option
def pause(reason: str) -> None:
    """Pause the contest day. Groups that are being played are finished; no new one starts until `resume`."""
    with organizer_actions(open_contest()) as organizer:
        done = organizer.pause(reason)
    print_outcome(done)
