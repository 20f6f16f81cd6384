"""`knobeln run`: play the contest day, rehearse it, show it step by step, change it."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

import click

from contest.errors import NotNow
from contest.model import Phase
from contest.seeds import Seeds
from contest.util.clock import TIME_FORMAT
from contest.util.plurals import plural
from knobeln.cli.contest_option import NounGroup, open_contest, says_little
from knobeln.cli.dry_run import (
    act_in,
    carry_out,
    dry_run_option,
    operator,
    own_words,
    print_outcome,
    reason_option,
    transaction,
)
from knobeln.cli.ordinary_user import open_as_ordinary_user
from knobeln.cli.output import print_whole, remark, table
from knobeln.cli.progress_bars import round_bars
from knobeln.cli.result_tables import show_results
from knobeln.cli.terminal import console
from knobeln.context import ContestContext
from knobeln.day.rehearsal import rehearsal_of
from knobeln.day.run import contest_day, noted_errors, play_contest
from knobeln.day.steps import steps_of
from knobeln.services import deliver_all
from mailserver.delivery.transports import transport_of
from store import contest_state, decisions, results
from store.results import Games

MAX_EARLY = timedelta(days=1)


@click.group(cls=NounGroup)
@click.option(
    "--now", "early", is_flag=True, help="Start even if the date of the contest has not come."
)
@click.option("--yes", is_flag=True, help="With --now: do not ask, however far the date is.")
@click.option("--no-wait", is_flag=True, help="End if the contest is paused, instead of waiting.")
@click.option(
    "--step",
    is_flag=True,
    help="Hold the reports, play, and then show what happened step by step, for an audience.",
)
def run(early: bool, yes: bool, no_wait: bool, step: bool) -> None:
    """Play the contest day; rehearse, pause or change it.

    After any interruption, run it again: it goes on where it stopped.

    More than a day before the date, --now asks first; without a terminal it needs --yes.

    If the contest is paused, the command waits until it goes on. --step shows one turn of a game of
    all at a time, or one place of a group, the last first. The reports go out after the last step.
    Started by root, the command becomes the folder's owner, or the user `knobeln`.
    """
    contest = open_as_ordinary_user()
    with contest.only_one("run") as alone:
        if not alone:
            raise NotNow("`knobeln run` is at work in this contest already")
        was_finished = _is_finished(contest)
        if early and not yes:
            _ask_if_much_too_early(contest)
        holds = step and _hold_reports(contest)
        with noted_errors(contest):
            play_contest(contest, early=early, patient=not no_wait, spectator=round_bars, tell=tell)
        if step and not _show_steps(contest, holds=holds):
            return
    if not says_little():
        if was_finished:
            click.echo("The contest is finished; these are its results.")
        show_results(contest)
    deliver_reports(contest)


def _ask_if_much_too_early(contest: ContestContext) -> None:
    """Ask before a start more than a day before the date, which nothing undoes. Raises NotNow
    without a terminal."""
    start, now = contest.settings.dates.contest_starts, contest.clock.now()
    with contest.store.read() as tx:
        phase = contest_state.state(tx).phase
    if phase is not Phase.OPEN or start - now <= MAX_EARLY:
        return
    date = (
        f"on {start:{TIME_FORMAT}}, in {plural((start - now).days, 'day')}, and nothing undoes the"
        " start"
    )
    if not sys.stdin.isatty():
        raise NotNow(f"the contest starts {date}", hint="--yes starts it all the same")
    _ask(f"The contest starts {date}. Start it now?")


def _is_finished(contest: ContestContext) -> bool:
    with contest.store.read() as tx:
        return contest_state.state(tx).phase is Phase.FINISHED


def _ask(question: str) -> None:
    """Ask a question. Raises NotNow for a no."""
    if not click.confirm(question, err=True):
        raise NotNow("nothing was done")


def tell(text: str) -> None:
    if not says_little():
        print_whole(text)


def deliver_reports(contest: ContestContext) -> None:
    """Deliver the queued mails, unless `knobeln serve` delivers them."""
    done = deliver_all(contest, transport_of(contest.settings, contest.path))
    if done is not None and done.deferred:
        mails = plural(done.deferred, "mail")
        remark(f"{mails} could not be delivered yet: `knobeln serve` keeps trying.")


# --- step by step ---------------------------------------------------------------------------------
# The contest has been played, and is now shown. The reports are held meanwhile, so nobody knows
# more than the audience. After an interruption they stay held, and the show begins anew.
def _hold_reports(contest: ContestContext) -> bool:
    """Hold the reports until the last step was shown. False: they are held already."""
    with contest.store.write() as tx:
        if decisions.reports_held(tx) is not None:
            return False
        act_in(contest, tx, lambda organizer: organizer.hold("they go out after the last step"))
    return True


def _show_steps(contest: ContestContext, *, holds: bool) -> bool:
    """Show the steps, one at each Enter, and then release the reports if we hold them. False: the
    organizer stopped it."""
    with contest.store.read() as tx:
        seeds = Seeds(contest_state.state(tx).seed.value)
        rounds = results.all_rounds(tx, Games.WITH_MOVES)
    steps = list(steps_of(contest.settings, seeds, rounds))
    console.print(f"The games are played; there are {plural(len(steps), 'step')} to show.")
    for number, (title, text) in enumerate(steps, start=1):
        console.print("Enter: the next step; q: stop here.", style="dim")
        line = sys.stdin.readline()
        # without its end: the input has ended
        if not line.endswith("\n") or line.strip().lower() == "q":
            console.print(f"Stopped before step {number}. The reports are held.")
            return False
        console.rule(f"{number}/{len(steps)}  {title}")
        console.print(text, markup=False)
    if holds:
        with contest.store.write() as tx:
            done = act_in(
                contest, tx, lambda organizer: organizer.release("the last step was shown")
            )
        console.print(done)
    else:
        console.print("The reports are held: `knobeln mail release` sends them.")
    return True


@run.command()
def rehearse() -> None:
    """Play the contest day with the programs submitted so far, and send nothing. Then show what
    would happen.

    It is played in a copy with another contest seed, so it does not give away the winner.
    """
    rehearsal = rehearsal_of(open_as_ordinary_user(), round_bars)
    title = f"{plural(rehearsal.programs, 'program')}, {plural(round(rehearsal.seconds), 'second')}"
    columns = ("#round", "#programs", "#groups", "of", "#games", "#seconds")
    table(f"rehearsal: {title}", columns, rehearsal.rounds)
    for warning in rehearsal.warnings:
        click.echo(f"! {warning}")
    remark("Nothing was sent, nothing was changed.")


@run.command()
@reason_option
def pause(reason: str) -> None:
    """Pause the contest day. Groups that are being played are finished; no new one starts until
    `resume`."""
    carry_out(lambda organizer: organizer.pause(reason))


@run.command()
@click.option("--reason", default="", help="Why; for the log.")
def resume(reason: str) -> None:
    """Let the contest day go on. A `knobeln run` that waits goes on at once."""
    carry_out(lambda organizer: organizer.resume(reason))


@run.command()
@click.argument("value")
def number(value: str) -> None:
    """Hand in the public number for which the contest waits.

    VALUE is the JSON of a round of drand, the numbers of the lottery, or any text, as
    `tournament.beacon` says. Nobody can change it afterwards.
    """
    carry_out(lambda organizer: organizer.hand_in_number(value, "given at the command line"))


@run.command()
@click.argument("number", type=int, metavar="ROUND")
@click.argument("group", type=int, metavar="[GROUP]", required=False)
@reason_option
@click.option("--yes", is_flag=True, help="Do not ask, although the results are out.")
@dry_run_option
def rerun(number: int, group: int | None, reason: str, yes: bool, dry_run: bool) -> None:
    """Play a round, or one group of it, again, and everything after it.

    The random numbers stay the same, so only what has changed comes out differently. The old
    results are kept, and the teams are told. On a terminal, it asks first if the contest is
    finished.
    """
    if sys.stdin.isatty() and not (yes or dry_run) and _is_finished(open_contest()):
        _ask(f"The contest is finished. Play round {number}, and what comes after it, again?")
    carry_out(lambda organizer: organizer.rerun(number, group, reason), dry_run=dry_run)


@run.command()
@click.argument("seconds", type=float)
@reason_option
@dry_run_option
def seconds(seconds: float, reason: str, dry_run: bool) -> None:
    """Change the time for a move while the contest runs, and tell all teams.

    It counts from the next group on, also for a `knobeln run` at work. Groups that have begun keep
    the time that they had.
    """
    carry_out(lambda organizer: organizer.change_time(seconds, reason), dry_run=dry_run)


@run.command()
@click.argument("number", type=int, metavar="ROUND")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True, exists=True))
@dry_run_option
def summary(number: int, file: Path, dry_run: bool) -> None:
    """Write your own words about a round, and send its summary (RSM).

    The words come from FILE, or from standard input (-).
    """
    contest = open_contest()
    text = own_words(file)
    with transaction(contest, dry_run=dry_run) as tx:
        if not results.set_words(tx, number, text + "\n"):
            raise NotNow(f"round {number} does not exist, or its summary has gone out")
        if not results.is_played(tx, number):
            stored = (
                f"Stored: the summary goes out with your words when round {number} is finished."
            )
            print_outcome(stored, dry_run=dry_run)
            return
        readers = plural(contest_day(contest).report_round(tx, number), "reader")
        done = f"the summary of round {number} went to {readers}"
        contest_state.note(
            tx, "summary", done, contest.clock.now(), actor=operator(), whom=f"round {number}"
        )
    print_outcome(f"The summary of round {number} goes to {readers}.", dry_run=dry_run)
    if not dry_run:
        deliver_reports(contest)
