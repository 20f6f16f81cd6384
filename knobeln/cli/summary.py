"""`knobeln summary`."""

from __future__ import annotations

from pathlib import Path

import click

from contest.errors import NotNow
from contest.plurals import plural
from contest.store import contest_state, results
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import dry_run_option, operator, print_outcome, transaction
from knobeln.cli.open_contest import open_contest
from knobeln.cli.own_words import own_words
from knobeln.cli.run import deliver_reports
from knobeln.contest_day.run import contest_day

_HINT = "Your words about this round, for the top of its summary."


@click.command(cls=ContestCommand)
@click.argument("number", type=int, metavar="ROUND")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True, exists=True), required=False)
@dry_run_option
def summary(number: int, file: Path | None, dry_run: bool) -> None:
    """Write your own words about a round, and send its summary (RSM).

    The words come from FILE, from standard input (-), or from your editor.
    """
    contest = open_contest()
    with contest.store.read() as tx:
        before = results.words_of(tx, number) or ""
    text = own_words(file, _HINT, before)
    with transaction(contest, dry_run=dry_run) as tx:
        if not results.set_words(tx, number, text + "\n"):
            raise NotNow(f"round {number} does not exist, or its summary has gone out")
        if not results.is_played(tx, number):
            print_outcome(
                f"Stored: the summary goes out with your words when round {number} is finished.",
                dry_run=dry_run,
            )
            return
        readers = plural(contest_day(contest).report_round(tx, number), "reader")
        done = f"the summary of round {number} went to {readers}"
        contest_state.note(tx, "summary", done, contest.clock.now(), actor=operator(), whom=f"round {number}")
    print_outcome(f"The summary of round {number} goes to {readers}.", dry_run=dry_run)
    if not dry_run:
        deliver_reports(contest)
