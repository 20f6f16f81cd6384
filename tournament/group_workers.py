"""Group workers: each plays a group to its end and writes the mails about it.

While the mails about one group are written, the next is played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import NamedTuple

from contest.config.settings import Settings
from contest.formats.format import Format
from contest.interfaces.events import GroupFinished
from contest.interfaces.protocols import Images, ProgressCallback, Reporter, RunnerFactory
from contest.language import gettext, speaking, spoken
from contest.mail.compose import Composed, compose
from contest.model import Entry, GroupOutcome, GroupPlan, Outgoing, Team
from contest.model.as_json import GameRow, game_rows
from contest.seeds import Seeds
from contest.util.clock import Clock
from store import Transaction, contest_state
from tournament.field import Field


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

    `banned`, `aside`: as in GroupJob.
    """

    outcome: GroupOutcome
    games: tuple[GameRow, ...]
    banned: frozenset[str]
    aside: frozenset[str]
    mails: tuple[Composed, ...]


class Workers(NamedTuple):
    """Those who play the groups of a contest. Their results do not depend on who plays which group.

    `submit`: give a group to the next free worker. `ahead`: so many groups are started before the
    one in front of them is finished; a pause waits for all of them.
    """

    submit: Callable[[GroupJob], Future[GroupResult]]
    ahead: int


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
        mails = contest.reporter.mails(
            GroupFinished(teams=contest.teams, outcome=outcome, final=job.final)
        )
        now = contest.clock.now()
        composed = tuple(
            compose(mail, contest.mail, contest.secret, now) for mail in marked(mails, job.mark)
        )
        games = tuple(game_rows(outcome, keep_moves=keeps_moves))
        return GroupResult(replace(outcome, matches=()), games, job.banned, job.aside, composed)


@contextmanager
def open_workers(contest: FrozenContest, progress: ProgressCallback) -> Iterator[Workers]:
    """The workers of this contest on this host, until its end or until it breaks off; see
    OpenWorkers."""
    # Two: the one plays while the other writes mails.
    with ThreadPoolExecutor(2, thread_name_prefix="group") as pool:
        try:
            worker = GroupWorker(contest, progress)
            yield Workers(lambda job: pool.submit(worker, job), ahead=1)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def limited(settings: Settings, seconds: float) -> Settings:
    """The settings with so many seconds for a move."""
    return settings.changed(programs={"seconds": seconds})


class Mark(NamedTuple):
    """What tells the mails of a tournament from those of another one, and of a round that is played
    again."""

    prefix: str  # of their keys
    tournament: int  # of a season, which their subjects name; 0 = the contest is no season


def mark_of(tx: Transaction, settings: Settings) -> Mark:
    """The mark of this tournament."""
    number = contest_state.state(tx).number if settings.season.is_season else 0
    return Mark(contest_state.mark(tx), number)


def marked(mails: Iterable[Outgoing], mark: Mark) -> Iterable[Outgoing]:
    """The mails, with the mark on their keys and subjects."""
    return (
        replace(mail, key=mark.prefix + mail.key, subject=_in_tournament(mail, mark.tournament))
        for mail in mails
    )


def _in_tournament(mail: Outgoing, number: int) -> str:
    if not number:
        return mail.subject
    with speaking(mail.language or spoken()):
        return gettext("Tournament %(number)s: %(subject)s", number=number, subject=mail.subject)
