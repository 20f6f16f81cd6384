"""`knobeln run`: change the contest day."""

from __future__ import annotations

import errno
from pathlib import Path

import click

from contest.errors import NotNow
from contest.public_number.beacon import MAX_NUMBER_CHARS
from contest.store import contest_state, results
from contest.util.plurals import plural
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import (
    dry_run_option,
    operator,
    organizer_actions,
    own_words,
    print_outcome,
    reason_option,
    transaction,
)
from knobeln.cli.open_contest import open_contest
from knobeln.cli.run import deliver_reports
from knobeln.day.run import contest_day


@click.command(cls=ContestCommand)
@reason_option
def pause(reason: str) -> None:
    """Pause the contest day. Groups that are being played are finished; no new one starts until `resume`."""
    with organizer_actions(open_contest()) as organizer:
        done = organizer.pause(reason)
    print_outcome(done)


@click.command(cls=ContestCommand)
@click.option("--reason", default="", help="Why; for the log.")
def resume(reason: str) -> None:
    """Let the contest day go on. A `knobeln run` that waits goes on at once."""
    with organizer_actions(open_contest()) as organizer:
        done = organizer.resume(reason)
    print_outcome(done)


@click.command(cls=ContestCommand)
@click.argument("value", metavar="FILE|VALUE")
def number(value: str) -> None:
    """Hand in the public number for which the contest waits.

    It is in FILE, or it is VALUE itself: the JSON of a round of drand, the numbers of the lottery, or any
    text, as `tournament.beacon` says. Nobody can change it afterwards.
    """
    text, source = _read(value)
    with organizer_actions(open_contest()) as organizer:
        done = organizer.hand_in_number(text, source)
    print_outcome(done)


def _read(value: str) -> tuple[str, str]:
    """The text, and where it comes from."""
    try:
        with open(value, encoding="utf-8", errors="replace") as file:
            return file.read(MAX_NUMBER_CHARS + 1), f"from the file {Path(value).name}"
    except OSError as error:
        if error.errno not in (
            errno.ENOENT,
            errno.ENAMETOOLONG,
        ):  # the JSON of a round is too long for a name
            raise
        return value, "given at the command line"


@click.command(cls=ContestCommand)
@click.argument("number", type=int, metavar="ROUND")
@click.argument("group", type=int, metavar="[GROUP]", required=False)
@reason_option
@dry_run_option
def rerun(number: int, group: int | None, reason: str, dry_run: bool) -> None:
    """Play a round, or one group of it, again, and everything after it.

    The random numbers stay the same, so only what has changed comes out differently. The old results are
    kept, and the teams are told.
    """
    with organizer_actions(open_contest(), dry_run=dry_run) as organizer:
        done = organizer.rerun(number, group, reason)
    print_outcome(done, dry_run=dry_run)


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
    text = own_words(file, "Your words about this round, for the top of its summary.", before)
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
