"""Progress bars on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from contest.interfaces.protocols import ProgressCallback
from contest.model import RoundPlan
from contest.util.plurals import plural
from knobeln.cli.answers import is_quiet
from knobeln.cli.output import remark
from knobeln.cli.terminal import console
from tournament.certainty import Watcher
from tournament.day import Spectator

COLUMNS = 48  # for the text before a bar


@contextmanager
def progress_bars(*, columns: int = COLUMNS) -> Iterator[Progress]:
    """Show bars on the console as long as the context lasts; none with -q or --json."""
    text = TextColumn(f"{{task.description:<{columns}}}")
    with Progress(
        text,
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        disable=is_quiet(),
    ) as progress:
        yield progress


def say_where_no_bar_moves(text: str) -> None:
    """Print what is being done now, where a bar is printed only at its end, such as in a file."""
    if not console.is_terminal:
        remark(f"{text[0].upper()}{text[1:]} ...")


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


class ReplayBars(Watcher):
    """Two bars: the games from which contests with other random numbers are made, and the rounds of
    these contests."""

    def __init__(self, progress: Progress, text: str, rounds: int) -> None:
        self._progress = progress
        self._games = progress.add_task("games for the replays", total=None)
        self._rounds = progress.add_task(text, total=rounds)

    def games_to_come(self, games: int) -> None:
        self._progress.update(self._games, total=self._played + max(0, games))

    def pool_games_played(self, games: int) -> None:
        self._progress.advance(self._games, games)

    def round_replayed(self) -> None:
        self._progress.advance(self._rounds)

    def end(self) -> None:
        """Show that all is done: games and rounds may be other ones than expected."""
        self._progress.update(self._games, total=self._played)
        rounds = self._progress.tasks[self._rounds].completed
        self._progress.update(self._rounds, total=rounds)

    @property
    def _played(self) -> float:
        return self._progress.tasks[self._games].completed


@contextmanager
def replay_bars(text: str, rounds: int) -> Iterator[ReplayBars]:
    """Show the two bars as long as the context lasts."""
    with progress_bars() as progress:
        bars = ReplayBars(progress, text, rounds)
        yield bars
        bars.end()


@contextmanager
def round_bars() -> Iterator[RoundBars]:
    """Show a bar for each round of a contest day."""
    with ExitStack() as shown:
        yield RoundBars(shown)


class RoundBars(Spectator):
    """A bar per round, in games; `shown` has the one of now."""

    def __init__(self, shown: ExitStack) -> None:
        self._shown = shown
        self._advance: ProgressCallback = lambda games: None
        self._replays = Watcher()

    def round_drawn(self, plan: RoundPlan) -> None:
        what = "matches" if plan.groups[0].title else "groups"
        groups = f" in {len(plan.groups)} {what}" if len(plan.groups) > 1 else ""
        name = "the final" if plan.final else f"round {plan.number}"
        self._shown.close()
        programs = plural(len(plan.members), "program")
        bar = progress_bar(f"{name}: {programs}{groups}", plan.planned_games)
        self._advance = self._shown.enter_context(bar)

    def games_played(self, games: int) -> None:
        self._advance(games)

    def playing_with_other_chance(self, contests: int, rounds: int) -> None:
        self._shown.close()
        text = f"checking how sure the ranking is: {plural(contests, 'replay')}"
        say_where_no_bar_moves(text)
        self._replays = self._shown.enter_context(replay_bars(text, contests * rounds))

    def games_to_come(self, games: int) -> None:
        self._replays.games_to_come(games)

    def pool_games_played(self, games: int) -> None:
        self._replays.pool_games_played(games)

    def round_replayed(self) -> None:
        self._replays.round_replayed()
