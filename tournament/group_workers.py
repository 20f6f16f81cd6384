"""Where groups are played: a table plays a group to its end, and writes the mails about it.

While the mails about one group are written, the next is played. Where a contest is large, Python itself takes
longer than the games: then there are several tables, each a process of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from queue import SimpleQueue
from threading import Lock

from contest.clock import Clock
from contest.compose import Composed, compose
from contest.config.settings import Settings
from contest.game_rows import Record, records
from contest.games.registry import game_of
from contest.model import GroupOutcome, GroupPlan, Outgoing, Team
from contest.protocols import Format, Images, ProgressCallback, Reporter, RunnerFactory, no_progress
from contest.seeds import Seeds
from contest.subprocesses.engine_pool import cores
from contest.subprocesses.worker_pool import Worker, WorkerPool
from tournament import referee
from tournament.derived_settings import is_computed, is_on_machine

LARGE = 300
"""From so many teams on, tables are processes: these take a third of a second to start."""
MOST = 4
"""More tables than these would wait for the one process that keeps what they bring."""


@dataclass(frozen=True)
class Contest:
    """What a table knows from the start. `settings` are the contest's as they were frozen, `mail` today's."""

    settings: Settings
    mail: Settings
    clock: Clock
    seeds: Seeds
    format: Format
    teams: Mapping[str, Team]
    reporter: Reporter
    make_runner: RunnerFactory

    @property
    def keeps_moves(self) -> bool:
        """Whether every move is kept: programs that are asked in words cannot be asked the same again."""
        return not is_computed(self.settings)


@dataclass(frozen=True)
class Started:
    """A group that is to be played. `left`: how many of the round are, with this one; `banned`: members who
    play no games; `digests`: of the members' programs, which are in `images`; `mark`: how the keys of its
    mails begin; `workers`: for its games, None = as many as the settings say."""

    plan: GroupPlan
    left: int
    final: bool
    banned: frozenset[str]
    digests: Mapping[str, str]
    images: Images
    mark: str
    workers: int | None = None


@dataclass(frozen=True)
class Played:
    """A group's outcome without its games; these as they are kept; who was banned; the mails about it."""

    outcome: GroupOutcome
    games: tuple[Record, ...]
    banned: frozenset[str]
    mails: tuple[Composed, ...]


GroupWorkerPool = WorkerPool[Started, Played]

Tables = Callable[[Started], Future[Played]]
"""Give a group to the next table that is free. The results of a group do not depend on which that is."""


def is_large(settings: Settings, teams: int) -> bool:
    """Whether Python itself takes longer than the games of a contest of so many teams."""
    return teams >= LARGE and is_on_machine(settings)


def crew_for(
    settings: Settings, teams: int, reporter: Reporter, make_runner: RunnerFactory
) -> AbstractContextManager[GroupWorkerPool | None]:
    """The processes that are tables in a contest of about so many teams; None where there is to be none."""
    workers = _workers(settings)
    if workers == 1 or not is_large(settings, teams):
        return nullcontext()
    return WorkerPool(min(workers, MOST), _Table, type(reporter).__module__, make_runner.__module__)


def _workers(settings: Settings) -> int:
    return settings.tournament.workers or cores()


def open_tables(
    contest: Contest, worker_pool: GroupWorkerPool | None, progress: ProgressCallback
) -> AbstractContextManager[Tables]:
    """The tables of this contest, until its end or until it breaks off.

    `told` is told what is played where it is played in this process.
    """
    return _threads(contest, progress) if worker_pool is None else _processes(contest, worker_pool)


@contextmanager
def _threads(contest: Contest, progress: ProgressCallback) -> Iterator[Tables]:
    table = _Table(contest, progress)
    with ThreadPoolExecutor(2, thread_name_prefix="table") as pool:
        try:
            yield lambda group: pool.submit(table, group)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@contextmanager
def _processes(contest: Contest, worker_pool: GroupWorkerPool) -> Iterator[Tables]:
    workers, tables = _workers(contest.settings), len(worker_pool.workers)
    free: SimpleQueue[Worker[Started, Played]] = SimpleQueue()

    def play(group: Started) -> Played:
        table = free.get()
        try:
            return table.ask(group)
        finally:
            free.put(table)

    worker_pool.tell(contest, no_progress)
    with ThreadPoolExecutor(tables, thread_name_prefix="table") as pool:
        for table in worker_pool.workers:
            free.put(table)
        try:
            # The last groups of a round have fewer beside them, with whom they share the workers.
            yield lambda group: pool.submit(play, replace(group, workers=workers // min(tables, group.left)))
        except BaseException:  # the keyboard, too
            pool.shutdown(wait=False, cancel_futures=True)
            worker_pool.kill()
            raise


def _with_workers(settings: Settings, workers: int | None) -> Settings:
    if workers is None:
        return settings
    tournament = settings.tournament.model_copy(update={"workers": workers})
    return settings.model_copy(update={"tournament": tournament})


@dataclass
class _Table:
    """One group is played at a time, so that everybody's time is his own; its mails are written meanwhile."""

    contest: Contest
    progress: ProgressCallback
    playing: Lock = field(default_factory=Lock)

    def __call__(self, group: Started) -> Played:
        with self.playing:
            outcome = self._play(group)
        contest = self.contest
        mails, now = contest.reporter.group_finished(outcome, contest.teams), contest.clock.now()
        composed = tuple(compose(mail, contest.mail, now) for mail in marked(mails, group.mark))
        games = records(outcome, keep_moves=contest.keeps_moves)
        return Played(replace(outcome, matches=()), games, group.banned, composed)

    def _play(self, group: Started) -> GroupOutcome:
        contest, plan = self.contest, group.plan
        settings = _with_workers(contest.settings, group.workers)
        wanting = {name for name in plan.members if contest.reporter.needs_moves(contest.teams[name])}
        with contest.make_runner(group.images, settings, contest.seeds, self.progress) as runner:
            return referee.play_group(
                plan,
                images=group.digests,
                seeds=contest.seeds,
                runner=runner,
                protocols_for=set(plan.members) if contest.keeps_moves else wanting,
                standings=partial(contest.format.standings, plan, group.final),
                fault_rule=game_of(contest.settings.game, contest.settings.programs).info.fault_rule,
                banned=group.banned,
            )


def marked(mails: Iterable[Outgoing], mark: str) -> Iterable[Outgoing]:
    """The mails with keys that begin so."""
    return (replace(mail, key=mark + mail.key) for mail in mails) if mark else mails
