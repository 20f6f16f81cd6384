"""Group workers: each plays a group to its end and writes the mails about it.

While the mails about one group are written, the next is played. In a contest of many teams Python
itself takes longer than the games; then there are several workers, each a process of its own. They
also play the first groups of the next round while the mails about a round are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import NamedTuple

from contest.config.settings import Settings
from contest.errors import EngineFailed
from contest.formats.format import Format
from contest.games.registry import game_of, text_game_of
from contest.interfaces.events import GroupFinished
from contest.interfaces.protocols import (
    Images,
    ProgressCallback,
    Reporter,
    RunnerFactory,
    no_progress,
)
from contest.language import gettext, speaking
from contest.mail.compose import Composed, compose
from contest.model import Entry, GroupOutcome, GroupPlan, Outgoing, Team, WorstGame
from contest.model.as_json import GameRow, game_rows
from contest.seeds import Seeds
from contest.subprocesses.engine_pool import cores
from contest.subprocesses.worker_pool import worker_pool
from contest.util.clock import Clock
from store import Transaction, contest_state
from tournament.field import Field
from tournament.worst_games import condensed, decided_by_moves, decided_by_throws, worst_games

LARGE = 100
"""From so many teams on, groups are played in processes."""
MAX_PROCESSES = 4
"""More would wait for the one process that stores their results."""
_AHEAD, _AHEAD_IF_LARGE = 1, 4


@dataclass(frozen=True)
class FrozenContest:
    """What stays the same from the contest's start to its end. `settings` are those of the start,
    `mail` today's.

    `secret`: the contest's, for Message-IDs.
    """

    settings: Settings
    mail: Settings
    secret: bytes
    clock: Clock
    seeds: Seeds
    format: Format
    entries: Mapping[str, Entry]
    teams: Mapping[str, Team]
    reporter: Reporter
    make_runner: RunnerFactory


@dataclass(frozen=True)
class GroupJob:
    """A group to play.

    `banned`: members who play no games;
    `aside`: members whose programs are not asked; `digests`: of what plays for the members, which
    is in `images`; `mark`: of its mails; `seconds`: for a move.
    """

    plan: GroupPlan
    final: bool
    banned: frozenset[str]
    aside: frozenset[str]
    digests: Mapping[str, str]
    images: Images
    mark: Mark
    seconds: float


@dataclass(frozen=True)
class GroupResult:
    """A group's outcome without its games; the games as they are stored; the mails about it.

    `worst_games`: as they are kept; `banned`, `aside`: as in GroupJob.
    """

    outcome: GroupOutcome
    games: tuple[GameRow, ...]
    worst_games: tuple[WorstGame, ...]
    banned: frozenset[str]
    aside: frozenset[str]
    mails: tuple[Composed, ...]


class Workers(NamedTuple):
    """Those who play the groups of a contest. Their results do not depend on who plays which group.

    `submit`: give a group to the next free worker. `ahead`: so many groups are started before the
    one in front of them is finished; a pause waits for all of them. `are_processes`: of their own;
    then they can play while this one writes mails, and `progress` does not hear of their games.
    """

    submit: Callable[[GroupJob], Future[GroupResult]]
    ahead: int
    are_processes: bool = False


OpenWorkers = Callable[[FrozenContest, ProgressCallback], AbstractContextManager[Workers]]
"""`progress` hears only of games that are played in this process."""


@dataclass
class GroupWorker:
    """Plays one group at a time, so that nobody uses another's time; mails are written while it
    plays."""

    contest: FrozenContest
    progress: ProgressCallback
    playing: Lock = field(default_factory=Lock)

    def __call__(self, job: GroupJob) -> GroupResult:
        contest, plan = self.contest, job.plan
        played = Field(contest.settings, contest.format, job.digests, contest.seeds)
        # The moves of programs that talk cannot be computed again, so all are kept.
        keeps_moves = not played.info.play.is_computed
        wanting = {
            name for name in plan.members if contest.reporter.needs_moves(contest.teams[name])
        }
        settings = limited(contest.settings, job.seconds)
        with (
            self.playing,
            speaking(settings.contest.language),  # why a move was wrong is stored as a sentence
            contest.make_runner(job.images, settings, contest.seeds, self.progress) as runner,
        ):
            outcome = played.play_group(
                plan,
                job.final,
                runner,
                banned=job.banned,
                protocols_for=set(plan.members) if keeps_moves else wanting,
            )
            worst = self._worst_games(job, outcome, settings)
        mails = contest.reporter.mails(
            GroupFinished(teams=contest.teams, outcome=outcome, final=job.final)
        )
        now = contest.clock.now()
        composed = tuple(
            compose(mail, contest.mail, contest.secret, now) for mail in marked(mails, job.mark)
        )
        games = tuple(game_rows(outcome, keep_moves=keeps_moves))
        return GroupResult(
            outcome=replace(outcome, matches=()),
            games=games,
            worst_games=worst,
            banned=job.banned,
            aside=job.aside,
            mails=composed,
        )

    def _worst_games(
        self, job: GroupJob, outcome: GroupOutcome, settings: Settings
    ) -> tuple[WorstGame, ...]:
        """Each member's worst game, with what decided it, as it is kept."""
        games, seeds = worst_games(outcome), self.contest.seeds
        play = game_of(settings.game, settings.programs).info.play
        if play.is_computed and play.has_moves:
            # nobody counts these games: they were played before
            with self.contest.make_runner(job.images, settings, seeds, no_progress) as runner:
                games = decided_by_throws(games, job.digests, seeds, runner)
        elif play.has_moves:
            rules = text_game_of(settings.game, settings.programs)
            games = decided_by_moves(games, rules, seeds)
        return tuple(map(condensed, games))


def open_workers(
    contest: FrozenContest, progress: ProgressCallback
) -> AbstractContextManager[Workers]:
    """The workers of this contest on this host, until its end or until it breaks off; see
    OpenWorkers."""
    play = game_of(contest.settings.game, contest.settings.programs).info.play
    is_large = len(contest.teams) >= LARGE and play.is_quick and play.has_moves
    # The order of mails follows from it, so it depends on the contest alone.
    ahead = _AHEAD_IF_LARGE if is_large else _AHEAD
    processes = min(contest.settings.tournament.workers or cores(), MAX_PROCESSES)
    if is_large and processes > 1:
        return _in_processes(contest, processes, ahead)
    return _in_threads(contest, progress, ahead)


@contextmanager
def _in_threads(
    contest: FrozenContest, progress: ProgressCallback, ahead: int
) -> Iterator[Workers]:
    # Two: the one plays while the other writes mails.
    with ThreadPoolExecutor(2, thread_name_prefix="group") as pool:
        try:
            worker = GroupWorker(contest, progress)
            yield Workers(lambda job: pool.submit(worker, job), ahead)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@contextmanager
def _in_processes(contest: FrozenContest, count: int, ahead: int) -> Iterator[Workers]:
    """Each process has its share of the engines."""
    engines = (contest.settings.tournament.workers or cores()) // count
    settings = contest.settings.changed(tournament={"workers": engines})
    with worker_pool(count, _start_worker, replace(contest, settings=settings)) as pool:
        yield Workers(lambda job: pool.submit(_play, job), ahead, are_processes=True)


_worker: GroupWorker | None = None
"""In a worker process: the one that plays its groups."""


def _start_worker(contest: FrozenContest) -> None:
    global _worker  # noqa: PLW0603 - an executor calls functions of modules only
    _worker = GroupWorker(contest, no_progress)


def _play(job: GroupJob) -> GroupResult:
    if _worker is None:
        raise EngineFailed("a worker process was not told its contest")
    return _worker(job)


def limited(settings: Settings, seconds: float) -> Settings:
    """The settings with so many seconds for a move."""
    return settings.changed(programs={"seconds": seconds})


class Mark(NamedTuple):
    """What tells the mails of a tournament from those of another one, and of a round that is played
    again."""

    prefix: str  # of their keys
    tournament: int  # of a season, which their subjects name; 0 = the contest is no season
    language: str  # of the mails to readers who chose none


def mark_of(tx: Transaction, settings: Settings) -> Mark:
    """The mark of this tournament."""
    number = contest_state.state(tx).number if settings.season.is_season else 0
    return Mark(contest_state.mark(tx), number, settings.contest.language)


def marked(mails: Iterable[Outgoing], mark: Mark) -> Iterable[Outgoing]:
    """The mails, with the mark on their keys and subjects."""
    return (
        replace(mail, key=mark.prefix + mail.key, subject=_in_tournament(mail, mark))
        for mail in mails
    )


def _in_tournament(mail: Outgoing, mark: Mark) -> str:
    if not mark.tournament:
        return mail.subject
    with speaking(mail.language or mark.language):
        return gettext(
            "Tournament %(number)s: %(subject)s", number=mark.tournament, subject=mail.subject
        )
