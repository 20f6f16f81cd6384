"""The contest day: run, summary."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from knobeln.cli.folder import ContestCommand, ContestFolder, contest_folder
from knobeln.cli.look import show_results
from knobeln.cli.services import Services, deliver_all
from knobeln.cli.show import console, moment
from knobeln.errors import GiveUp, NotNow
from knobeln.model import EvolutionOutcome, GroupOutcome, GroupPlan, Phase, RoundPlan
from knobeln.store import contest as contest_store
from knobeln.store import results
from mailserver.transports import transport_of
from reports.letters import ContestReporter
from tournament.contest import ContestDay


@click.command(cls=ContestCommand)
@click.option("--now", "early", is_flag=True, help="Start although the date of the contest has not come.")
def run(early: bool) -> None:
    """Play the contest day. After any interruption, run it again: it goes on where it was."""
    folder = contest_folder()
    with folder.only_one("run") as alone:
        if not alone:
            raise NotNow("`knobeln run` is at work in this contest already")
        play(folder, early=early)
    show_results(folder)
    _hand_out(folder)


def play(folder: ContestFolder, *, early: bool) -> None:
    """Work off what came in before the start, then play to the end. Raises NotNow before the date."""
    with folder.store.read() as tx:
        phase = contest_store.state(tx).phase
    start = folder.settings.dates.contest_starts
    if phase is Phase.OPEN and folder.clock.now() < start and not early:
        raise NotNow(f"the contest starts on {moment(start)}; --now starts it at once")
    if phase is Phase.OPEN:
        services = Services(folder)
        services.handle_letters()
        services.compile_programs(at_once=True)
    with _progress() as spectator:
        contest_day(folder, spectator).run()


def contest_day(folder: ContestFolder, spectator: ProgressBars | None = None) -> ContestDay:
    reporter = ContestReporter(folder.settings, folder.templates)
    return ContestDay(folder.store, folder.settings, folder.clock, reporter, spectator or Silence())


def _hand_out(folder: ContestFolder) -> None:
    """Deliver the reports, unless `knobeln serve` is doing it."""
    done = deliver_all(folder, transport_of(folder.settings, folder.path))
    if done is not None and done.deferred:
        click.echo(f"{done.deferred} mails could not be delivered yet: `knobeln serve` keeps trying.")


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
        self._task = self._progress.add_task(f"{name}: {members} programs{groups}", total=self._planned)

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
def _progress() -> Iterator[ProgressBars]:
    columns = (TextColumn("{task.description:<48}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        yield ProgressBars(progress)


@click.command(cls=ContestCommand)
@click.argument("number", type=int, metavar="ROUND")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True, exists=True), required=False)
def summary(number: int, file: Path | None) -> None:
    """Write your own words about a round, and send its summary (RSM).

    The words come from FILE, from standard input (-), or from your editor.
    """
    folder = contest_folder()
    with folder.store.read() as tx:
        words = results.words_of(tx, number)
    text = _words(file, words or "")
    with folder.store.write() as tx:
        if not results.set_words(tx, number, text):
            raise NotNow(f"round {number} does not exist, or its summary has gone out")
        if not results.is_played(tx, number):
            click.echo(f"Kept: the summary goes out with your words when round {number} is finished.")
            return
        count = contest_day(folder).report_round(tx, number)
        contest_store.note(
            tx, "run", f"the summary of round {number} went to {count} teams", folder.clock.now()
        )
    click.echo(f"The summary of round {number} goes to {count} teams.")
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
