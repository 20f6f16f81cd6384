"""`knobeln dates`: show them, and move them."""

from __future__ import annotations

from datetime import datetime

import click

from knobeln.cli.contest_option import NounGroup, open_contest
from knobeln.cli.dry_run import carry_out, dry_run_option, reason_option
from knobeln.cli.output import moment, table
from mailserver.organizer_actions import read_date


@click.group(cls=NounGroup)
def dates() -> None:
    """Show the dates, or move them."""
    contest = open_contest()
    rows = [
        (name, moment(date), moment(written) if written != date else "")
        for (name, date), (_, written) in zip(contest.settings.dates, contest.written, strict=True)
    ]
    table("dates", ("date", "now", "in contest.toml"), rows, is_list=True)


@dates.command("move")
@click.argument("changes", nargs=-1, required=True, metavar="NAME=WHEN...")
@reason_option
@dry_run_option
def move_dates(changes: tuple[str, ...], reason: str, dry_run: bool) -> None:
    """Move dates, and tell all registered teams: contest_starts=1994-05-15T12:00, in Universal
    Time.

    The new date is valid at once, also for a running `knobeln serve`. If you later change that date
    in contest.toml, the date in contest.toml is valid.
    """
    contest = open_contest()
    moved: dict[str, datetime] = {}
    for change in changes:
        name, mark, when = change.partition("=")
        if not mark:
            raise click.UsageError(
                f"{change!r}: write NAME=WHEN, as in contest_starts=1994-05-15T12:00"
            )
        moved |= [read_date(name, when)]
    carry_out(
        lambda organizer: organizer.move_dates(contest.written, moved, reason),
        contest,
        dry_run=dry_run,
    )
