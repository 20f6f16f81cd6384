"""Progress bars on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from contest.interfaces.protocols import ProgressCallback
from contest.model import GroupOutcome, GroupPlan, RoundPlan
from contest.util.plurals import plural
from knobeln.cli.answers import is_quiet
from knobeln.cli.output import console
from tournament.day import Spectator

COLUMNS = 48  # for the text before a bar


@contextmanager
def progress_bars(*, columns: int = COLUMNS) -> Iterator[Progress]:
    """Show bars on the console as long as the context lasts; none with -q or --json."""
    text = TextColumn(f"{{task.description:<{columns}}}")
    with Progress(
        text, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=console, disable=is_quiet()
    ) as progress:
        yield progress


@contextmanager
def progress_bar(text: str, total: int, *, columns: int = COLUMNS) -> Iterator[ProgressCallback]:
    """Show one bar, which the callback advances up to its end: games may be played again.

    When all is done it is at its end: games may be fewer than expected, too.
    """
    lock, done = Lock(), 0
    with progress_bars(columns=columns) as progress:
        task = progress.add_task(text, total=total)

        def advance(count: int) -> None:
            nonlocal done
            with lock:
                done = min(done + count, total)
                progress.update(task, completed=done)

        yield advance
        progress.update(task, completed=total)


@contextmanager
def round_bars() -> Iterator[RoundBars]:
    """Show a bar for each round of a contest day."""
    with progress_bars() as progress:
        yield RoundBars(progress)


class RoundBars(Spectator):
    """A bar per round, in games. A game may be played again or never, so each group corrects it."""

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
            f"{name}: {plural(members, 'program')}{groups}", total=self._planned
        )

    def games_played(self, games: int) -> None:
        with self._lock:
            self._show(self._played + games)

    def group_finished(self, outcome: GroupOutcome) -> None:
        with self._lock:
            self._finished += _games(outcome.plan)
            self._show(max(self._finished, self._played))

    def playing_with_other_chance(self, contests: int) -> None:
        self._progress.add_task(f"checking how sure the ranking is: {plural(contests, 'replay')}", total=None)

    def _show(self, played: int) -> None:
        self._played = min(played, self._planned)
        if self._task is not None:
            self._progress.update(self._task, completed=self._played)


def _games(plan: GroupPlan) -> int:
    return sum(pairing.games for pairing in plan.pairings)
