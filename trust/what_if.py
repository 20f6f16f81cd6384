"""What would be if a team had stayed away, or another number had been drawn.

The check page says the same (check_page/js/what_if.js).
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property, partial

from contest.errors import GiveUp
from contest.seeds import ContestSeed, Seeds
from contest.util.plurals import plural
from tournament.field import Field
from trust.another_contest import (
    AnotherContest,
    OpenRunner,
    OtherRank,
    another_contest,
    bans_of,
    winners,
)
from trust.verify_tournament import Claim


@dataclass(frozen=True)
class Change:
    """What is changed: the team that is left out, and the words that take the place of the public
    number. "": as it was."""

    left_out: str = ""
    number: str = ""

    def __str__(self) -> str:
        drawn = f"drawn by the number {self.number}" if self.number else ""
        without = f"without {self.left_out}" if self.left_out else ""
        return f"the contest {', '.join(filter(None, (without, drawn)))}"


@dataclass(frozen=True)
class WhatIf:
    """A contest with a change, which is not the result. Moves are counted among the teams that are
    not left out."""

    change: Change
    contest: AnotherContest

    def move_of(self, line: OtherRank) -> str:
        """In words, "" for none."""
        if line.entry == self.change.left_out:
            return "left out"
        rank = self._rank_without_gap(line)
        if rank == line.otherwise:
            return ""
        if rank is None:
            return "comes in"
        if line.otherwise is None:
            return "drops out"
        places = rank - line.otherwise
        return f"up {places}" if places > 0 else f"down {-places}"

    def sentences(self) -> Iterator[str]:
        """Who would win, how many would move, and who would win the evolution."""
        old, new = winners(self.contest.ranking)
        still, instead = f"{new} would still be first", f"{new} would be first instead of {old}"
        yield still if old == new else instead
        others = [line for line in self.contest.ranking if line.entry != self.change.left_out]
        moved = sum(bool(self.move_of(line)) for line in others)
        yield f"{plural(moved, 'team')} would move" if moved else "no other team would move"
        old, new = winners(self.contest.evolution)
        if old != new:
            yield f"{new} would win the evolution instead of {old}"

    def _rank_without_gap(self, line: OtherRank) -> int | None:
        """The rank in the contest, if the others close the gap of the team that is left out."""
        gap = self._gap
        if line.rank is None or gap is None or line.rank <= gap:
            return line.rank
        return line.rank - 1

    @cached_property
    def _gap(self) -> int | None:
        """The rank in the contest of the team that is left out; None if it had none."""
        ranks = {line.entry: line.rank for line in self.contest.ranking}
        return ranks.get(self.change.left_out)


def what_if(
    claim: Claim,
    change: Change,
    seed: ContestSeed,
    open_runner: OpenRunner,
    silent: AbstractSet[str],
) -> WhatIf:
    """Play the contest with this change. Raises NeverPlayed, GiveUp if nobody is left.

    `claim`, `open_runner`, `silent`: as `another_contest`; `seed`: what the contest's was made of.
    """
    field = _changed(claim.field, change, seed)
    other = another_contest(claim, field, open_runner, silent, partial(bans_of, claim))
    return WhatIf(change, other)


def _changed(field: Field, change: Change, seed: ContestSeed) -> Field:
    images = {name: build for name, build in field.images.items() if name != change.left_out}
    if not images:
        raise GiveUp("nobody would be left")
    if not change.number:
        return replace(field, images=images)
    number = change.number.encode(errors="surrogateescape")  # bytes of a command line may be any
    return replace(field, images=images, seeds=Seeds(replace(seed, number=number).value))
