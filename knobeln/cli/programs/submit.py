"""`knobeln programs submit`."""

from __future__ import annotations

from pathlib import Path

import click

from contest.store import outbox
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import dry_run_option, operator, print_mails, print_outcome, reason_option
from knobeln.cli.open_contest import open_contest
from knobeln.day.rehearsal import scratch_copy
from knobeln.organizer.submit_by_hand import submit_by_hand


@click.command(cls=ContestCommand)
@click.argument("team")
@click.argument(
    "files", type=click.Path(path_type=Path, exists=True, dir_okay=False), nargs=-1, required=True
)
@reason_option
@dry_run_option
def submit(team: str, files: tuple[Path, ...], reason: str, dry_run: bool) -> None:
    """Submit a program of TEAM by hand.

    You can do this until the contest starts, also after the deadline for programs.

    The program is checked and compiled like one that comes by mail, and the team gets the report.
    """
    contest = open_contest()
    program = {path.name: path.read_bytes() for path in files}
    if dry_run:
        with scratch_copy(contest) as copy:
            done = submit_by_hand(copy, team, program, reason, operator())
            with copy.store.read() as tx:
                print_mails(copy, tx, outbox.queued_after(tx, done.newest_mail_before))
    else:
        done = submit_by_hand(contest, team, program, reason, operator())
    print_outcome(
        f"version {done.number} of {team}: {done.verdict}; the report is in the outbox", dry_run=dry_run
    )
