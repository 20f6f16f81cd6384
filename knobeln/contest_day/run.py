"""The contest day: run, summary."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from contest.errors import GiveUp, KnobelnError, NotNow, Paused
from contest.model import EvolutionOutcome, GroupOutcome, GroupPlan, Phase, RoundPlan
from contest.plurals import form
from contest.store import contest_state as contest_store
from contest.store import results
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import change, dry_run_option, operator, tell
from knobeln.cli.output import console, moment
from knobeln.cli.results import show_results
from knobeln.contest_day.run_with_retries import RetryingRun
from knobeln.context import ContestContext, contest_folder
from knobeln.server.services import Services, deliver_all
from mailserver.delivery.transports import transport_of
from reports.contest_reporter import ContestReporter
from tournament.day import ContestDay


@click.command(cls=ContestCommand)
@click.option("--now", "early", is_flag=True, help="Start although the date of the contest has not come.")
@click.option("--no-wait", is_flag=True, help="End where the contest is paused, in place of waiting.")
def run(early: bool, no_wait: bool) -> None:
    """Play the contest day. After any interruption, run it again: it goes on where it was.

    Where the contest is paused it waits until it may go on.
    """
    folder = contest_folder()
    with folder.only_one("run") as alone:
        if not alone:
            raise NotNow("`knobeln run` is at work in this contest already")
        with noted_errors(folder):
            play(folder, early=early, patient=not no_wait)
    show_results(folder)
    _hand_out(folder)


@contextmanager
def noted_errors(folder: ContestContext) -> Iterator[None]:
    """What the day stopped for is in the journal, for `knobeln status`; no pause, nor being too early."""
    try:
        yield
    except (NotNow, Paused):
        raise
    except KnobelnError as error:
        with suppress(KnobelnError), folder.store.write() as tx:  # it may be the database that fails
            contest_store.note(tx, "error", f"run: {error}", folder.clock.now())
        raise


def play(folder: ContestContext, *, early: bool, patient: bool = False) -> None:
    """Work off what came in before the start, then play to the end. Raises NotNow before the date, and Paused
    where the contest is paused, unless it is `patient`: then it waits."""
    with folder.store.read() as tx:
        phase = contest_store.state(tx).phase
    start = folder.settings.dates.contest_starts
    if phase is Phase.OPEN and folder.clock.now() < start and not early:
        raise NotNow(f"the contest starts on {moment(start)}; --now starts it at once")
    if phase is Phase.OPEN:
        work_off(folder)
    steward = RetryingRun(folder, _say)
    while True:
        try:
            with progress() as shown:
                steward.play(contest_day(folder.current(), ProgressBars(shown)))
            return
        except Paused as pause:
            if not patient:
                raise
            _say(f"{pause}.")
            steward.wait_for_the_end_of_the_pause()


def _say(text: str) -> None:
    console.print(text, markup=False)


def work_off(folder: ContestContext) -> None:
    """Take in the letters that have arrived, and compile the programs that wait."""
    services = Services(folder)
    services.handle_letters()
    services.compile_programs(at_once=True)


def contest_day(folder: ContestContext, spectator: ProgressBars | None = None) -> ContestDay:
    reporter = ContestReporter(folder.settings, folder.templates)
    return ContestDay(folder.store, folder.settings, folder.clock, reporter, spectator or Silence())


def _hand_out(folder: ContestContext) -> None:
    """Deliver the reports, unless `knobeln serve` is doing it."""
    done = deliver_all(folder, transport_of(folder.settings, folder.path))
    if done is not None and done.deferred:
        mails = form(done.deferred, "mail")
        click.echo(f"{done.deferred} {mails} could not be delivered yet: `knobeln serve` keeps trying.")


class Silence:
    """A spectator who says nothing."""

    def round_drawn(self, plan: RoundPlan) -> None:
        pass

    def games_played(self, games: int) -> None:
        pass

    def group_finished(self, outcome: GroupOutcome) -> None:
        pass

    def evolution_finished(self, outcome: EvolutionOutcome) -> None:
        pass


class ProgressBars(Silence):
    """A bar per round, in games. Some are played again, or never, so each group puts it right at its end."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None
        self._planned = self._finished = self._played = 0
        self._lock = Lock()

    def round_drawn(self, plan: RoundPlan) -> None:
        members = sum(len(group.members) for group in plan.groups)
        what = "matches" if plan.groups[0].title else "groups"
        groups = f" in {len(plan.groups)} {what}" if len(plan.groups) > 1 else ""
        name = "the final" if plan.final else f"round {plan.number}"
        self._planned, self._finished, self._played = sum(map(_games, plan.groups)), 0, 0
        self._task = self._progress.add_task(
            f"{name}: {members} {form(members, 'program')}{groups}", total=self._planned
        )

    def games_played(self, games: int) -> None:
        with self._lock:
            self._show(self._played + games)

    def group_finished(self, outcome: GroupOutcome) -> None:
        with self._lock:
            self._finished += _games(outcome.plan)
            self._show(max(self._finished, self._played))

    def _show(self, played: int) -> None:
        self._played = min(played, self._planned)
        if self._task is not None:
            self._progress.update(self._task, completed=self._played)


def _games(plan: GroupPlan) -> int:
    return sum(pairing.games for pairing in plan.pairings)


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Bars on the console, as long as the context lasts; none if `quiet`."""
    columns = (TextColumn("{task.description:<48}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=quiet) as shown:
        yield shown


@click.command(cls=ContestCommand)
@click.argument("number", type=int, metavar="ROUND")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True, exists=True), required=False)
@dry_run_option
def summary(number: int, file: Path | None, dry_run: bool) -> None:
    """Write your own words about a round, and send its summary (RSM).

    The words come from FILE, from standard input (-), or from your editor.
    """
    folder = contest_folder()
    with folder.store.read() as tx:
        words = results.words_of(tx, number)
    text = _words(file, words or "")
    with change(folder, dry_run=dry_run) as tx:
        if not results.set_words(tx, number, text):
            raise NotNow(f"round {number} does not exist, or its summary has gone out")
        if not results.is_played(tx, number):
            tell(
                f"Kept: the summary goes out with your words when round {number} is finished.",
                dry_run=dry_run,
            )
            return
        count = contest_day(folder).report_round(tx, number)
        teams = f"{count} {form(count, 'team')}"
        done = f"the summary of round {number} went to {teams}"
        contest_store.note(tx, "summary", done, folder.clock.now(), actor=operator(), whom=f"round {number}")
    tell(f"The summary of round {number} goes to {teams}.", dry_run=dry_run)
    if not dry_run:
        _hand_out(folder)


_HINT = "\n# Your words about this round, as they stand on top of its summary. Lines with # are left out.\n"


def _words(file: Path | None, before: str) -> str:
    if file is None:
        edited = click.edit(before + _HINT)
        if edited is None:
            raise NotNow("nothing was saved in the editor, so nothing is sent")
        text = "\n".join(line for line in edited.splitlines() if not line.startswith("#"))
    else:
        text = _text_of(file)
    if not text.strip():
        raise NotNow("the text is empty, so nothing is sent")
    return text.strip() + "\n"


def _text_of(file: Path) -> str:
    try:
        with click.open_file(str(file), encoding="utf-8") as stream:
            return str(stream.read())
    except UnicodeDecodeError as error:
        raise GiveUp(f"{file} is not in UTF-8: {error}") from None
