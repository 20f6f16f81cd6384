"""`knobeln disqualify`."""

from __future__ import annotations

import click

from contest.model import BanKind
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import dry_run_option, organizer_actions, print_outcome, reason_option
from knobeln.cli.open_contest import open_contest


@click.command(cls=ContestCommand)
@click.argument("team")
@reason_option
@dry_run_option
def disqualify(team: str, reason: str, dry_run: bool) -> None:
    """Disqualify TEAM: it plays no more games."""
    with organizer_actions(open_contest(), dry_run=dry_run) as organizer:
        done = organizer.take_out(team, BanKind.DISQUALIFIED, reason)
    print_outcome(done, dry_run=dry_run)
