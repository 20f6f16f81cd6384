"""`knobeln run`: play the contest day."""

from __future__ import annotations

import sys
from datetime import timedelta

import click
from rich.text import Text

from contest.errors import NotNow
from contest.model import Phase
from contest.store import contest_state, submissions, teams
from contest.util.clock import TIME_FORMAT
from contest.util.plurals import form, plural
from knobeln.cli.contest_option import says_little
from knobeln.cli.lazy import LazyNounGroup
from knobeln.cli.ordinary_user import open_as_ordinary_user
from knobeln.cli.output import print_whole, remark
from knobeln.cli.progress_bars import round_bars
from knobeln.cli.results.tables import show_results
from knobeln.cli.run import steps
from knobeln.context import ContestContext
from knobeln.day.run import noted_errors, play_contest
from knobeln.services import deliver_all, told_log_failure
from mailserver.delivery.transports import transport_of

MAX_EARLY = timedelta(days=1)


@click.group(cls=LazyNounGroup)
@click.option("--now", "early", is_flag=True, help="Start even if the date of the contest has not come.")
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

    If the contest is paused, the command waits until it goes on. With --step a step is a turn of a game of
    all, or the pairings that meet at once. The reports go out after the last step. Started by root, the
    command becomes the folder's owner, or the user `knobeln`.
    """
    contest = open_as_ordinary_user()
    with contest.only_one("run") as alone:
        if not alone:
            raise NotNow("`knobeln run` is at work in this contest already")
        if early and not yes:
            _ask_if_much_too_early(contest)
        if step:
            steps.prepare(contest)
        with noted_errors(contest), told_log_failure(contest, "knobeln run"):
            play_contest(contest, early=early, patient=not no_wait, spectator=round_bars, tell=tell)
        if step and not steps.show_steps(contest):
            return
    if not says_little():
        show_results(contest)
    with told_log_failure(contest, "knobeln run"):
        deliver_reports(contest)


def _ask_if_much_too_early(contest: ContestContext) -> None:
    """Ask before a start more than a day before the date, which nothing undoes. Raises NotNow without a
    terminal."""
    start, now = contest.settings.dates.contest_starts, contest.clock.now()
    with contest.store.read() as tx:
        phase = contest_state.state(tx).phase
        registered = teams.count(tx)
        without = registered - submissions.count_with_program(tx)
    if phase is not Phase.OPEN or start - now <= MAX_EARLY:
        return
    programs = (
        f"{without} of {plural(registered, 'registered team')} {form(without, 'has', 'have')} no accepted "
        "program yet"
    )
    situation = (
        f"the contest starts on {start:{TIME_FORMAT}}, in {plural((start - now).days, 'day')}; "
        f"{programs if registered else 'no team is registered yet'}. Nothing undoes the start"
    )
    if not sys.stdin.isatty():
        raise NotNow(situation, hint="--yes starts it all the same")
    click.confirm(f"{situation[0].upper()}{situation[1:]}. Start it now?", abort=True, err=True)


def tell(text: str) -> None:
    if not says_little():
        print_whole(Text(text))


def deliver_reports(contest: ContestContext) -> None:
    """Deliver the queued mails, unless `knobeln serve` delivers them."""
    done = deliver_all(contest, transport_of(contest.settings, contest.path))
    if done is not None and done.deferred:
        mails = plural(done.deferred, "mail")
        remark(f"{mails} could not be delivered yet: `knobeln serve` keeps trying.")


run.add_lazy_commands(
    "knobeln.cli.run.rehearse",
    {"rehearse": "Play the contest day with the programs submitted so far, and send nothing."},
)
run.add_lazy_commands(
    "knobeln.cli.run.actions",
    {
        "pause": "Pause the contest day.",
        "resume": "Let the contest day go on.",
        "number": "Hand in the public number for which the contest waits.",
        "rerun": "Play a round, or one group of it, again, and everything after it.",
        "seconds": "Change the time for a move while the contest runs, and tell all teams.",
        "summary": "Write your own words about a round, and send its summary (RSM).",
    },
)
