"""Play a contest as it would have been if the organizer had not taken teams out of it.

Entries, rules and seeds are those of the contest, from the first draw to the evolution. A game that was
played in truth would come out the same, so it has its published result; only other games are played. So this
costs at most one more contest. Pure but for the runner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial

from contest.model import (
    EvolutionOutcome,
    GameJob,
    GameResult,
    GroupOutcome,
    GroupPlan,
    RoundOutcome,
    RoundPlan,
    Standing,
)
from contest.protocols import Runner
from contest.standings import banned_in
from tournament import referee
from tournament.certainty import Seating
from tournament.day import next_plan
from tournament.evolution import evolve, score_matrix
from tournament.field import Field
from tournament.referee import Fixture, game_job
from tournament.runners.recorded import results_by_streams

OpenRunner = Callable[[AbstractSet[str]], AbstractContextManager[Runner]]
"""Open a runner for the programs with these digests."""


@dataclass(frozen=True)
class ContestOutcome:
    """All rounds of a contest with their games, its ranking and its evolution."""

    history: tuple[RoundOutcome, ...]
    ranking: tuple[Standing, ...]
    evolution: EvolutionOutcome | None


class UnknownGames(Exception):
    """The contest cannot be played on from this round, because nobody can play these games of it.

    `history`: the rounds before; `plan`: the round as it would be drawn; `games`: how many of its games are
    planned; `unknown`: the players of those that nobody knows.
    """

    def __init__(
        self, history: Sequence[RoundOutcome], plan: RoundPlan, games: int, unknown: Sequence[Seating]
    ) -> None:
        super().__init__(history, plan, games, unknown)
        self.history, self.plan, self.games, self.unknown = history, plan, games, unknown


def play_with_bans(
    field: Field,
    published: Sequence[RoundOutcome],
    bans: AbstractSet[str],
    silent: AbstractSet[str],
    open_runner: OpenRunner,
) -> ContestOutcome:
    """The contest in which, of all teams that the organizer took out, only those of `bans` were out.

    `field`: all entries. `published`: the rounds as they were played, with their games. `silent`: the entries
    whose programs cannot be asked again, so that of their games only the published ones are known.
    A ban acts as in the published rounds: in the groups in which the team was out, in the draws in which it
    was missing, and in all draws after the last published one; nothing else records when it began. So with
    all bans the contest comes out as published.
    Raises UnknownGames if a game is needed that was not published and that a silent program would play.
    """
    contest = _Contest(field, published, bans, silent, open_runner)
    history: tuple[RoundOutcome, ...] = ()
    while (plan := contest.draw(history)) is not None:
        history = (*history, contest.play(plan, history))
    last = history[-1]
    final = last.plan.final or field.format.ends_in_final(last.plan)
    history = (*history[:-1], replace(last, plan=replace(last.plan, final=final)))
    settings = field.settings.evolution
    evolution = evolve(score_matrix(last.groups[0]), settings) if final and settings.enabled else None
    return ContestOutcome(history, field.format.ranking(history), evolution)


@dataclass(frozen=True)
class _Contest:
    field: Field
    published: Sequence[RoundOutcome]
    bans: AbstractSet[str]
    silent: AbstractSet[str]
    open_runner: OpenRunner

    def draw(self, history: Sequence[RoundOutcome]) -> RoundPlan | None:
        members = {name for group in self._published(len(history) + 1) for name in group.plan.members}
        names = tuple(self.field.images)
        return next_plan(self.field.format, names, history, self.field.seeds, self.bans - members)

    def play(self, plan: RoundPlan, history: Sequence[RoundOutcome]) -> RoundOutcome:
        """The round after these. Raises UnknownGames, naming all unknown games that are planned in it."""
        published = self._published(plan.number)
        out = self.bans & banned_in(line for group in published for line in group.standings)
        if self.field.format.seats is None:
            plan = replace(plan, groups=tuple(group.without_seats(out) for group in plan.groups))
        known = results_by_streams(plan.number, published, self.field.seeds)
        runner = _PublishedOrPlayed(known, self.silent, self.open_runner)
        groups: list[GroupOutcome] = []
        unknown: list[Seating] = []
        for group in plan.groups:
            try:
                groups.append(self._group(group, plan.final, out, runner))
            except _SilentPrograms as error:
                unknown += error.games
        if unknown:
            planned = [fixture for group in plan.groups for fixture in _fixtures(group, out)]
            jobs = [self._job(plan.number, fixture) for fixture in planned]
            missing = [job.names for job in jobs if runner.is_unknown(job)]
            # Otherwise they are games that equal points or failures add.
            games = len(planned) + (0 if missing else len(unknown))
            raise UnknownGames(history, plan, games, missing or unknown)
        return RoundOutcome(plan, tuple(groups))

    def _published(self, number: int) -> Sequence[GroupOutcome]:
        """The groups of this round; none after the last."""
        return self.published[number - 1].groups if number <= len(self.published) else ()

    def _job(self, number: int, fixture: Fixture) -> GameJob:
        return game_job(number, fixture, self.field.images, self.field.seeds, frozenset())

    def _group(self, plan: GroupPlan, final: bool, out: AbstractSet[str], runner: Runner) -> GroupOutcome:
        return referee.play_group(
            plan,
            images=self.field.images,
            seeds=self.field.seeds,
            runner=runner,
            protocols_for=frozenset(),
            standings=partial(self.field.format.standings, plan, final),
            fault_rule=self.field.info.fault_rule,
            banned=out & set(plan.members),
        )


def _fixtures(plan: GroupPlan, out: AbstractSet[str]) -> Iterator[Fixture]:
    for pairing in plan.pairings:
        if out.isdisjoint(pairing.players):
            yield from (Fixture(pairing, number) for number in range(1, pairing.games + 1))


class _SilentPrograms(Exception):
    def __init__(self, games: Sequence[Seating]) -> None:
        super().__init__(games)
        self.games = games


@dataclass(frozen=True)
class _PublishedOrPlayed:
    """Gives games their published results, and plays the others; implements contest.protocols.Runner.

    `known`: the published results by the games' random streams.
    """

    known: Mapping[tuple[bytes, ...], GameResult]
    silent: AbstractSet[str]
    open_runner: OpenRunner

    def play(self, jobs: Sequence[GameJob]) -> Sequence[GameResult]:
        """The results, in the order of the jobs. Raises _SilentPrograms."""
        new = [job for job in jobs if job.streams not in self.known]
        if unknown := [job.names for job in new if self.is_unknown(job)]:
            raise _SilentPrograms(unknown)
        played = iter(self._play(new))
        return [self.known[job.streams] if job.streams in self.known else next(played) for job in jobs]

    def is_unknown(self, job: GameJob) -> bool:
        """Whether the game has no published result, and cannot be played."""
        return job.streams not in self.known and not self.silent.isdisjoint(job.names)

    def _play(self, jobs: Sequence[GameJob]) -> Sequence[GameResult]:
        if not jobs:
            return []
        with self.open_runner({digest for job in jobs for digest in job.images}) as runner:
            return referee.carry_out(jobs, runner)
