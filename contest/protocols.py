"""The protocols by which parts use each other; the program passes in the implementations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from contest.config.settings import Settings
from contest.draw import Draw
from contest.ledger.entry_list import EntryList, SealedList
from contest.ledger.receipts import Receipt
from contest.model import (
    BoardPlace,
    BuildReport,
    Certainty,
    EvolutionOutcome,
    GameJob,
    GameResult,
    GroupOutcome,
    GroupPlan,
    HillRanking,
    Outgoing,
    Practice,
    PracticeGame,
    RoundOutcome,
    Standing,
    Team,
)
from contest.seeds import ContestSeed, Seeds


@dataclass(frozen=True)
class Rendered:
    """A mail's words: the subject, and the body in lines of at most 72 columns."""

    subject: str
    body: str


def to_team(team: Team, key: str, kind: str, text: Rendered) -> Outgoing:
    """A mail to the team's address; `replace` adds what else there is."""
    return Outgoing(key, kind, team.address, text.subject, text.body, team_id=team.id, team=team.name)


class Renderer(Protocol):
    def render(self, template: str, /, **facts: object) -> Rendered:
        """The template `<template>.txt.j2`, the organizer's own where there is one, with these facts.

        The language is the caller's (contest.language.speaking), or the contest's.
        """


class Serializable(Protocol):
    """An image: it plays for a team. Each kind of play has its own class."""

    def to_bytes(self) -> bytes: ...


Image_co = TypeVar("Image_co", bound=Serializable, covariant=True)


@dataclass(frozen=True)
class BuildResult(Generic[Image_co]):
    """`image` is there exactly if `report.accepted`; `program` is the name of the file that it was made from.

    The name is "" if no file was recognised as a program.
    """

    report: BuildReport
    image: Image_co | None
    program: str


SparringOpponents = Mapping[str, tuple[str, bytes]]
"""Our own programs by name: the digest of the image that plays, and its bytes as in `Images`."""


class PracticeBuilder(Protocol):
    """The part of the compiler that practice needs."""

    def build(self, files: Mapping[str, bytes], text: str) -> BuildResult[Serializable]:
        """Build the files as they were sent; `text` is what the letter says about them."""

    def check_host(self, files: Mapping[str, bytes], offered: Collection[str]) -> None:
        """Raises ToolMissing if these files may have been refused because this host lost their language."""

    def sparring_opponents(self) -> SparringOpponents:
        """The programs that a team can practise against."""


class CompileReporter(Protocol):
    """Puts a compile report into words."""

    def __call__(
        self,
        team_name: str,
        number: int,
        report: BuildReport,
        *,
        previous_good: int | None,
        repairs: Sequence[str],
        replaced: Sequence[int],
        place: BoardPlace | None,
    ) -> Rendered:
        """`number` is the version's, `previous_good` the accepted version that counted before it, if any,
        `replaced` the versions in whose place it was compiled, `place` that on the leaderboard, if any."""


class WaitingReporter(Protocol):
    """Tells the organizer that programs wait because this host cannot build their language."""

    def __call__(self, key: str, language: str, reason: str) -> Outgoing:
        """`key`: the mail's; `reason`: why it cannot, in one sentence or several."""


class PracticeReporter(Protocol):
    """The mails about programs that were only tried, and about friendly matches."""

    def tested(
        self, practice: Practice, team: Team, report: BuildReport, games: Sequence[PracticeGame]
    ) -> Outgoing:
        """`games` is empty where the program was rejected."""

    def met(self, practice: Practice, team: Team, other: Team, result: GameResult) -> Iterable[Outgoing]:
        """To both teams; `team`, which asked, has the first seat."""

    def match_impossible(self, practice: Practice, team: Team, other: Team) -> Outgoing:
        """One of the two has no program any more."""


class HillReporter(Protocol):
    """The mails about the standing hill."""

    def hill_moved(
        self, ranking: HillRanking, before: HillRanking | None, teams: Sequence[Team]
    ) -> Iterable[Outgoing]:
        """To those of the teams that want rankings; `before` is the ranking that was mailed last."""


class Runner(Protocol):
    """Where games are played."""

    def play(self, jobs: Sequence[GameJob]) -> Sequence[GameResult]:
        """The results, in the order of the jobs. Raises EngineFailed when our machinery is to blame."""


Images = Mapping[str, bytes]
"""What the builds made, by digest; each kind of play has its own form."""

ProgressCallback = Callable[[int], None]
"""Called with the number of games played since the last call, from any thread; for progress bars."""


def no_progress(_games: int) -> None:
    """Show no progress."""


class RunnerFactory(Protocol):
    def __call__(
        self, images: Images, settings: Settings, seeds: Seeds, progress: ProgressCallback = no_progress, /
    ) -> AbstractContextManager[Runner]:
        """A runner for the contest's game with these programs; closing it ends everything that it started.

        No result depends on `progress`.
        """


@dataclass(frozen=True)
class Listing:
    """A list of entries that teams are told. `before`: the list that they know. `draw`: of the public number;
    None if there is none."""

    listed: SealedList
    before: SealedList | None
    draw: Draw | None
    receipt: Receipt


class Reporter(Protocol):
    """The mails of the contest day. `teams` maps the names of all participants to their teams."""

    def needs_moves(self, team: Team) -> bool:
        """Whether a report that the team asked for needs the moves of its games."""

    def contest_started(
        self,
        teams: Mapping[str, Team],
        without_program: Sequence[Team],
        seed: ContestSeed,
        sealed: EntryList,
    ) -> Iterable[Outgoing]:
        """`sealed`: the list of entries. Only its root and the commitment are told of the seed."""

    def entries_listed(self, teams: Iterable[Team], listing: Listing) -> Iterable[Outgoing]:
        """A mail with a list of entries to each of these teams."""

    def group_started(
        self,
        plan: GroupPlan,
        teams: Mapping[str, Team],
        out: AbstractSet[str] = frozenset(),
        *,
        final: bool = False,
    ) -> Iterable[Outgoing]:
        """`out`: members who were taken out of the contest before and play no games in the group; `final`:
        the round was drawn as the final."""

    def group_finished(
        self, outcome: GroupOutcome, teams: Mapping[str, Team], *, final: bool = False
    ) -> Iterable[Outgoing]:
        """`final`: as in `group_started`."""

    def round_played(
        self,
        history: Sequence[RoundOutcome],
        ranking: Sequence[Standing],
        teams: Mapping[str, Team],
        evolution: EvolutionOutcome | None = None,
    ) -> Iterable[Outgoing]:
        """The mails after the last of these rounds; `ranking` is the contest's, () before its end."""

    def round_finished(
        self,
        history: Sequence[RoundOutcome],
        ranking: Sequence[Standing],
        teams: Mapping[str, Team],
        words: str,
        evolution: EvolutionOutcome | None,
        seed: ContestSeed | None,
        certainty: Certainty | None,
        scores: str,
        without_program: Sequence[Team],
        observers: Sequence[str],
    ) -> Iterable[Outgoing]:
        """The summary of the last of these rounds, also for these addresses of observers. `words` are the
        organizer's own, "" for none; evolution and score matrix (CSV) come with the final; seed and
        certainty with the contest's end; `without_program`: teams that take no part. The rounds need only
        their games with faults, in a melee all games."""
