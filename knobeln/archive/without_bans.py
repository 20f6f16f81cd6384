"""What the organizer changed by taking teams out: the contest computed as if nobody had been.

Entries, rules and seed are those of the contest, from the first draw to the evolution. A game that was played
would come out the same, so it has its published result; only other games are played now. So this takes at
most as long as the contest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from contest.archive.contents import Archive
from contest.model import EvolutionOutcome, EvolutionRank, RoundOutcome, Standing
from contest.util.plurals import listed, plural
from tournament.evolution import evolve, score_matrix
from tournament.field import Field
from tournament.rounds import ended, rounds
from tournament.runners import open_runner
from tournament.runners.recorded import KnownGames, NeverPlayed

NOBODY_CAN_TELL = (
    "other games would be needed. The archive does not have them, and not all of their programs can be asked "
    "again here, so nobody can tell"
)


@dataclass(frozen=True)
class OtherContest:
    """A contest that nobody was taken out of."""

    history: tuple[RoundOutcome, ...]
    ranking: tuple[Standing, ...]
    evolution: EvolutionOutcome | None


def without_bans(field: Field, archive: Archive, silent: AbstractSet[str]) -> list[str]:
    """What would be if nobody had been taken out.

    `field`: all entries. `archive`: one whose results were found correct. `silent`: the entries whose
    programs cannot be asked for other games than the published ones.
    """
    try:
        other = other_contest(field, archive, silent)
    except NeverPlayed:
        return [NOBODY_CAN_TELL]
    return list(_changes(archive, other)) or ["no rank would change"]


def other_contest(field: Field, archive: Archive, silent: AbstractSet[str]) -> OtherContest:
    """The contest as if nobody had been taken out. Raises NeverPlayed."""
    asked = {field.images[name] for name in field.images.keys() - silent}
    builds = {digest: archive.builds[digest] for digest in asked}
    played: list[RoundOutcome] = []
    with open_runner(builds, field.settings, field.seeds) as runner:
        known = KnownGames.of(archive.history, field.seeds, runner, silent)
        for plan in rounds(field.format, tuple(field.images), field.seeds, played):
            groups = tuple(field.play_group(group, plan.final, known) for group in plan.groups)
            played.append(RoundOutcome(plan, groups))
    history = ended(field.format, played)
    last, settings = history[-1], field.settings.evolution
    evolves = last.plan.final and settings.enabled
    evolution = evolve(score_matrix(last.groups[0]), settings) if evolves else None
    return OtherContest(history, field.format.ranking(history), evolution)


def _changes(archive: Archive, other: OtherContest) -> Iterator[str]:
    """Sentences on what changed: the winners, then those who were taken out, other ranks, the evolution."""
    before, after = _ranks(archive.ranking), _ranks(other.ranking)
    old, new = _first(before), _first(after)
    if old != new:
        yield f"{new} would be first instead of {old}"
    for name in sorted(archive.decisions.out & after.keys(), key=lambda name: (after[name], name)):
        if after[name] not in (1, before.get(name)):
            yield f"{name} would have rank {after[name]}"
    others = (before.keys() | after.keys()) - archive.decisions.out
    if moved := sum(before.get(name) != after.get(name) for name in others):
        yield f"{plural(moved, 'other team')} would have another rank"
    old, new = (_first(_ranks(each.ranking if each else ())) for each in (archive.evolution, other.evolution))
    if old != new:
        yield f"{new} would win the evolution instead of {old}"


def _ranks(ranking: Sequence[Standing | EvolutionRank]) -> Mapping[str, int]:
    return {line.entry: line.rank for line in ranking if line.rank is not None}


def _first(ranks: Mapping[str, int]) -> str:
    names = sorted(name for name, rank in ranks.items() if rank == 1)
    return listed(names) if names else "nobody"
