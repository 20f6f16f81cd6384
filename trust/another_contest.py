"""The contest as it would have been: without a ban or a team, or drawn by another number.

Rules and programs are those of the contest, from the first draw to the evolution. A game that was
played with the same random numbers has its published result; only other games are played now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass

from contest.formats.standings import banned_in
from contest.games.game import TextProtocol
from contest.interfaces.protocols import Runner
from contest.model import (
    EvolutionRank,
    GameJob,
    GameResult,
    GroupOutcome,
    GroupPlan,
    RoundOutcome,
    Standing,
)
from contest.seeds import Seeds
from tournament.evolution import evolve, score_matrix
from tournament.field import Field
from tournament.rounds import ended, rounds
from tournament.runners.recorded import job_of
from trust.verify_tournament import Claim

OpenRunner = Callable[[AbstractSet[str], Seeds], AbstractContextManager[Runner]]
"""Open a runner for games of these entries, by this seed."""
Results = Mapping[tuple[bytes, ...], GameResult]
"""By the games' random streams, which are different in every game."""


class NeverPlayed(Exception):
    """A game is needed that was never played, and that cannot be played now."""


@dataclass(frozen=True)
class OtherRank:
    """An entry's rank in the contest, and in the other one; None: it has no rank."""

    entry: str
    rank: int | None
    otherwise: int | None


@dataclass(frozen=True)
class AnotherContest:
    """Each entry's rank in a contest that was not.

    `evolution`: of the entries that are in the evolution of one of the two contests.
    """

    ranking: tuple[OtherRank, ...]
    evolution: tuple[OtherRank, ...]


@dataclass(frozen=True)
class Bans:
    """Whom the organizer had taken out: `gone`: before a round was drawn; `banned`: in its
    groups."""

    gone: frozenset[str] = frozenset()
    banned: frozenset[str] = frozenset()


NOBODY = Bans()


def no_bans(number: int) -> Bans:
    """Nobody is banned in the round of this number."""
    return NOBODY


def bans_of(claim: Claim, number: int) -> Bans:
    """Whom the organizer had taken out in the round of this number."""
    groups = _groups_of(claim, number)
    seated = {name for group in groups for name in group.plan.members}
    banned = (banned_in(group.standings) for group in groups)
    return Bans(claim.banned - seated, claim.banned.intersection(frozenset().union(*banned)))


def _groups_of(claim: Claim, number: int) -> list[GroupOutcome]:
    """Of the round of this number; none if the contest had no such round."""
    history = {outcome.plan.number: outcome for outcome in claim.history}
    return list(history[number].groups) if number in history else []


def another_contest(
    claim: Claim,
    field: Field,
    open_runner: OpenRunner,
    silent: AbstractSet[str],
    bans: Callable[[int], Bans] = no_bans,
) -> AnotherContest:
    """Play the contest of this field. Raises NeverPlayed.

    `claim`: results that were found correct. `silent`: the entries whose programs cannot be asked
    for other games than the published ones. `bans`: by the number of a round.
    """
    played: list[RoundOutcome] = []

    def gone() -> frozenset[str]:
        return bans(len(played) + 1).gone

    for plan in rounds(field.format, tuple(field.images), field.seeds, played, gone):
        banned = bans(plan.number).banned
        groups = []
        for group in plan.groups:
            with open_runner(frozenset(group.members) - silent, field.seeds) as runner:
                known = _KnownGames(_known_results(claim, group), runner, silent)
                groups.append(field.play_group(group, plan.final, known, banned=banned))
        played.append(RoundOutcome(plan, tuple(groups)))
    history = ended(field.format, played)
    last, settings = history[-1], field.settings.evolution
    evolves = settings.enabled and last.plan.final
    evolved = evolve(score_matrix(last.groups[0]), settings).ranking if evolves else ()
    return AnotherContest(
        _compared(claim.ranking, field.format.ranking(history)),
        _compared(claim.evolution.ranking if claim.evolution else (), evolved),
    )


def winners(ranks: Sequence[OtherRank]) -> tuple[str, str]:
    """Who is first in the contest, and who in the other one."""
    before = sorted(line.entry for line in ranks if line.rank == 1)
    otherwise = sorted(line.entry for line in ranks if line.otherwise == 1)
    return ", ".join(before) or "nobody", ", ".join(otherwise) or "nobody"


# --- games ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _KnownGames:
    """Gives games that were played their results, and plays the others.

    Implements contest.interfaces.protocols.Runner.
    """

    known: Results
    runner: Runner
    silent: AbstractSet[str]

    def __call__(self, jobs: Sequence[GameJob]) -> Sequence[GameResult]:
        new = [job for job in jobs if job.streams not in self.known]
        if any(not self.silent.isdisjoint(job.names) for job in new):
            raise NeverPlayed
        played = iter(self.runner(new) if new else ())
        return [
            self.known[job.streams] if job.streams in self.known else next(played) for job in jobs
        ]


def _known_results(claim: Claim, plan: GroupPlan) -> Results:
    groups = _groups_of(claim, plan.round)
    # A program that lives through many games may do in each what it has learned before.
    if claim.field.info.protocols[:1] == (TextProtocol.STDIO,):
        groups = [
            group
            for group in groups
            if group.plan == plan and claim.banned.isdisjoint(banned_in(group.standings))
        ]
    return {
        job_of(match, plan.round, claim.field.seeds).streams: match.result
        for group in groups
        for match in group.matches
    }


# --- ranks ----------------------------------------------------------------------------------------
def _compared(
    before: Sequence[Standing | EvolutionRank], after: Sequence[Standing | EvolutionRank]
) -> tuple[OtherRank, ...]:
    """Each entry with both its ranks, in the order of the other contest."""
    old = {line.entry: line.rank for line in before}
    new = {line.entry: line.rank for line in after}
    return tuple(OtherRank(name, old.get(name), new.get(name)) for name in {**new, **old})
