"""The contest as it would have been without the organizer's late bans: entries, rules and seed are
those of the contest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from contest.util.plurals import plural
from trust.another_contest import OpenRunner, OtherRank, another_contest, winners
from trust.verify_tournament import Claim


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
    """Play the contest without these bans. Raises NeverPlayed. The arguments: as
    `another_contest`."""
    other = another_contest(claim, claim.field, open_runner, silent)
    return WithoutBans(tuple(banned), other.ranking, other.evolution)


def sentences(other: WithoutBans) -> list[str]:
    """What would be without the bans: who would win, then the ranks of the banned, and how many
    others would have another one."""
    return list(_sentences(other)) or ["no rank would change"]


def _sentences(other: WithoutBans) -> Iterator[str]:
    old, new = winners(other.ranking)
    if old != new:
        yield f"{new} would be first instead of {old}"
    changed = [line for line in other.ranking if line.rank != line.otherwise]
    for line in changed:
        if line.entry in other.banned and line.otherwise != 1:
            yield f"{line.entry} would have {_rank(line.otherwise)}"
    others = [line for line in changed if line.entry not in other.banned]
    if others:
        yield f"{plural(len(others), 'other team')} would have another rank"
    old, new = winners(other.evolution)
    if old != new:
        yield f"{new} would win the evolution instead of {old}"


def _rank(rank: int | None) -> str:
    return "no rank" if rank is None else f"rank {rank}"
