"""The contest as it would have been without the organizer's late bans.

Entries, rules and seed are those of the contest, from the first draw to the evolution. A game that
was played comes out the same, so it has its published result; only other games are played now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from contest.util.plurals import plural
from tournament.evolution import evolve, score_matrix
from tournament.rounds import ended, rounds
from tournament.runners.recorded import job_of
from trust.verify_tournament import Claim

OpenRunner = Callable[[AbstractSet[str]], AbstractContextManager[Runner]]
"""Open a runner for games of these entries."""
Results = Mapping[tuple[bytes, ...], GameResult]
"""By the games' random streams, which are different in every game."""


class NeverPlayed(Exception):
    """A game is needed that was never played, and that cannot be played now."""


@dataclass(frozen=True)
class OtherRank:
    """An entry's rank in the contest, and without the late bans; None: it has no rank."""

    entry: str
    rank: int | None
    without_bans: int | None


@dataclass(frozen=True)
class WithoutBans:
    """The contest without the late bans of these teams: each entry's rank in it.

    `evolution`: of the entries that are in the evolution of one of the two contests.
    """

    banned: tuple[str, ...]
    ranking: tuple[OtherRank, ...]
    evolution: tuple[OtherRank, ...]


def without_bans(
    claim: Claim, banned: Sequence[str], open_runner: OpenRunner, silent: AbstractSet[str]
) -> WithoutBans:
    """Play the contest without these bans. Raises NeverPlayed.

    `claim`: results that were found correct. `silent`: the entries whose programs cannot be asked
    for other games than the published ones.
    """
    field = claim.field
    played: list[RoundOutcome] = []
    for plan in rounds(field.format, tuple(field.images), field.seeds, played):
        groups = (_play(claim, group, plan.final, open_runner, silent) for group in plan.groups)
        played.append(RoundOutcome(plan, tuple(groups)))
    history = ended(field.format, played)
    last, settings = history[-1], field.settings.evolution
    evolves = settings.enabled and last.plan.final
    evolved = evolve(score_matrix(last.groups[0]), settings).ranking if evolves else ()
    return WithoutBans(
        tuple(banned),
        _compared(claim.ranking, field.format.ranking(history)),
        _compared(claim.evolution.ranking if claim.evolution else (), evolved),
    )


def sentences(other: WithoutBans) -> list[str]:
    """What would be without the bans: who would win, then the ranks of the banned, and how many
    others would have another one."""
    return list(_sentences(other)) or ["no rank would change"]


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


def _play(
    claim: Claim,
    plan: GroupPlan,
    final: bool,
    open_runner: OpenRunner,
    silent: AbstractSet[str],
) -> GroupOutcome:
    field = claim.field
    groups = [
        group
        for outcome in claim.history
        if outcome.plan.number == plan.round
        for group in outcome.groups
    ]
    # A program that lives through many games may do in each what it has learned before.
    if field.info.protocols[:1] == (TextProtocol.STDIO,):
        groups = [
            group
            for group in groups
            if group.plan == plan and claim.banned.isdisjoint(banned_in(group.standings))
        ]
    known = _results(groups, field.seeds)
    with open_runner(frozenset(plan.members) - silent) as runner:
        return field.play_group(plan, final, _KnownGames(known, runner, silent))


def _results(groups: Iterable[GroupOutcome], seeds: Seeds) -> Results:
    return {
        job_of(match, group.plan.round, seeds).streams: match.result
        for group in groups
        for match in group.matches
    }


# --- ranks ----------------------------------------------------------------------------------------
def _compared(
    before: Sequence[Standing | EvolutionRank], after: Sequence[Standing | EvolutionRank]
) -> tuple[OtherRank, ...]:
    """Each entry with both its ranks, in the order that they have without the bans."""
    old, new = ({line.entry: line.rank for line in ranking} for ranking in (before, after))
    return tuple(OtherRank(name, old.get(name), new.get(name)) for name in {**new, **old})


def _sentences(other: WithoutBans) -> Iterator[str]:
    old, new = _winners(other.ranking)
    if old != new:
        yield f"{new} would be first instead of {old}"
    changed = [line for line in other.ranking if line.rank != line.without_bans]
    for line in changed:
        if line.entry in other.banned and line.without_bans != 1:
            yield f"{line.entry} would have {_rank(line.without_bans)}"
    others = [line for line in changed if line.entry not in other.banned]
    if others:
        yield f"{plural(len(others), 'other team')} would have another rank"
    old, new = _winners(other.evolution)
    if old != new:
        yield f"{new} would win the evolution instead of {old}"


def _winners(ranks: Sequence[OtherRank]) -> tuple[str, str]:
    """Who is first in the contest, and who without the bans."""
    with_bans = sorted(line.entry for line in ranks if line.rank == 1)
    without = sorted(line.entry for line in ranks if line.without_bans == 1)
    return ", ".join(with_bans) or "nobody", ", ".join(without) or "nobody"


def _rank(rank: int | None) -> str:
    return "no rank" if rank is None else f"rank {rank}"
