"""What one part needs of another, as protocols: the command line hands the real things in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from contest.config.settings import Settings
from contest.model import (
    BoardPlace,
    BuildReport,
    EvolutionOutcome,
    FinalReplays,
    GameJob,
    GameResult,
    GroupOutcome,
    GroupPlan,
    HillRanking,
    Match,
    Outgoing,
    Practice,
    PracticeGame,
    RoundOutcome,
    RoundPlan,
    Standing,
    Team,
)
from contest.seeds import Seeds


@dataclass(frozen=True)
class Rendered:
    """A mail's words: the subject, and the body in lines of at most 72 columns."""

    subject: str
    body: str


class Renderer(Protocol):
    def render(self, template: str, /, **facts: object) -> Rendered:
        """The template `<template>.txt.j2`, the organizer's own where there is one, with these facts."""


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
"""Is told how many more games have been played, from any thread; for people who watch."""


def no_progress(_games: int) -> None:
    """Nobody watches."""


class RunnerFactory(Protocol):
    def __call__(
        self, images: Images, settings: Settings, seeds: Seeds, progress: ProgressCallback = no_progress, /
    ) -> AbstractContextManager[Runner]:
        """Open the arena of the contest's game with these programs; what it has started ends with the
        context. Nothing depends on who is told."""


class Format(Protocol):
    """How a winner is found: pure rules, held to their promises by `contest.testing.check_format`.

    A round is a set of groups that share no member; who sits out (a bye) is in no group, or in one without
    pairings. The whole history is handed in, so a format may look back further than the last round's
    survivors (a losers' bracket); to meet again, two entries need another round. How often those of a pairing
    play each other in a round is said by the pairing.
    """

    @property
    def name(self) -> str:
        """What `tournament.format` says in contest.toml."""

    @property
    def seats(self) -> int | None:
        """How many seats a game has in this format; None = one for everybody who is left."""

    @property
    def everyone_meets(self) -> bool:
        """Whether the final has a game of everybody with everybody, as an evolution needs (K80)."""

    def plan(self, entries: Sequence[str], history: Sequence[RoundOutcome], seeds: Seeds) -> RoundPlan | None:
        """The round after these; None when the contest is decided. Every draw comes from `seeds`, by name."""

    def standings(
        self,
        plan: GroupPlan,
        final: bool,
        matches: Sequence[Match],
        failures: Mapping[str, int],
        disqualified: AbstractSet[str],
    ) -> tuple[Standing, ...]:
        """The table of a finished group: the ranked best first, then the disqualified, who never advance."""

    def ranking(self, history: Sequence[RoundOutcome]) -> tuple[Standing, ...]:
        """The contest's result, given all its rounds: the ranked best first, then the disqualified. Whom the
        format gives no place, because they were out before, is missing."""


class Reporter(Protocol):
    """The mails of the contest day. `teams` maps the names of all participants to their teams."""

    def needs_moves(self, team: Team) -> bool:
        """Whether a report that the team asked for needs the moves of its games."""

    def contest_started(
        self, teams: Mapping[str, Team], without_program: Sequence[Team], seed_commitment: str
    ) -> Iterable[Outgoing]: ...

    def group_started(
        self, plan: GroupPlan, teams: Mapping[str, Team], out: AbstractSet[str] = frozenset()
    ) -> Iterable[Outgoing]:
        """`out`: members who were taken out of the contest before, and play no games in the group."""

    def group_finished(self, outcome: GroupOutcome, teams: Mapping[str, Team]) -> Iterable[Outgoing]: ...

    def round_played(
        self, history: Sequence[RoundOutcome], ranking: Sequence[Standing], teams: Mapping[str, Team]
    ) -> Iterable[Outgoing]:
        """The last of these rounds has been played; `ranking` is the contest's, () before its end."""

    def round_finished(
        self,
        history: Sequence[RoundOutcome],
        ranking: Sequence[Standing],
        teams: Mapping[str, Team],
        words: str,
        evolution: EvolutionOutcome | None,
        seed: bytes | None,
        replays: FinalReplays | None,
        scores: str,
    ) -> Iterable[Outgoing]:
        """The same when its summary is due: `words` are the organizer's own, "" for none; evolution, seed,
        replays and score matrix (CSV) come with the final. Of the games of a round those with faults are
        enough, in a melee all of them."""
