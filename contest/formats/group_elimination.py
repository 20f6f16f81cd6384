"""Group elimination, the tournament of 1994: randomly mixed groups, whose better halves proceed
(K64-K69).

- The field of a round is divided into as few groups as their maximum size allows, as equal as
  possible.
- Everyone meets everyone in the group, and itself if the contest has self-play (K65, K78).
- Half of the group as it started, rounded up, proceeds, and all who tie with the last of them; the
  disqualified never do (K67).
- The final is the first round that is one group of at most `final_size` (K69). If in two
  rounds running nobody left the field, because all are equal, the next round is the final: one
  group of all, whatever its size.
- A field of one still plays a final, against itself.
- If nobody survives a round before the final, the contest is over without a winner. Its ranking has
  all members of that round, across the groups, without ranks (K69).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import accumulate, pairwise

from contest.formats.format import Format, everyone_meets_everyone
from contest.formats.standings import half_points, ranked, table
from contest.language import noted
from contest.model import GroupPlan, Match, RoundOutcome, RoundPlan, Standing
from contest.seeds import Seeds

STANDSTILLS = 2  # rounds running in which everybody proceeds, before the field is the final


class GroupElimination(Format):
    """See the module. The settings `group_max`, `final_size`, `self_play` and `games` matter."""

    name = "group-elimination"
    summary = "rounds of mixed groups, at least half of each group proceeds"
    first_place = noted("The first place goes to the team with the most points in the final.")
    everyone_meets = True
    has_groups = True

    def plan(
        self, entries: Sequence[str], history: Sequence[RoundOutcome], seeds: Seeds
    ) -> RoundPlan | None:
        """Return the next round, drawn by `round/<number>/groups`; the order of `entries` plays no
        part."""
        field = sorted(history[-1].survivors if history else entries)
        if not field or (history and history[-1].plan.final):
            return None
        number = len(history) + 1
        final = len(field) <= self._settings.final_size or stands_still(history)
        sizes = [len(field)] if final else group_sizes(len(field), self._settings.group_max)
        drawn = seeds.shuffled(f"round/{number}/groups", field)
        cuts = enumerate(pairwise(accumulate(sizes, initial=0)), start=1)
        groups = []
        for index, (start, end) in cuts:
            members = tuple(drawn[start:end])
            pairings = everyone_meets_everyone(members, self._settings)
            groups.append(GroupPlan(number, index, members, pairings))
        return RoundPlan(number, tuple(groups), final)

    def standings(
        self,
        plan: GroupPlan,
        final: bool,
        matches: Sequence[Match],
        failures: Mapping[str, int],
        disqualified: AbstractSet[str],
    ) -> tuple[Standing, ...]:
        """Return the table of a finished group. In the final nobody advances: its ranks are the
        result (K79)."""
        remaining = [name for name in plan.members if name not in disqualified]
        points = half_points(remaining, matches)
        advancing = set() if final else better_half(points, len(plan.members))
        return table(ranked(points), points, failures, disqualified, advancing)

    def ends_in_final(self, last: RoundPlan) -> bool:
        """Return whether the last round was drawn as the final; otherwise nobody survived it."""
        return last.final

    def ranking(self, history: Sequence[RoundOutcome]) -> tuple[Standing, ...]:
        """Return the table of the final. Without a final, all of the last round, and nobody has a
        rank."""
        last = history[-1]
        if last.plan.final:
            return super().ranking(history)
        lines = [
            replace(s, rank=None, advances=False) for group in last.groups for s in group.standings
        ]
        return tuple(
            sorted(lines, key=lambda line: (line.disqualified, -line.half_points, line.entry))
        )


def group_sizes(field: int, largest: int) -> list[int]:
    """Sizes of the fewest groups of at most `largest` that hold the field; they differ by at most 1
    (K64)."""
    groups = -(-field // largest)
    smaller, larger = divmod(field, groups)
    return [smaller + 1] * larger + [smaller] * (groups - larger)


def better_half(points: Mapping[str, int], size_at_start: int) -> AbstractSet[str]:
    """Return those with the most points: ceil(size/2) of them, and all who tie with the last
    (K67)."""
    best_first = sorted(points.values(), reverse=True)
    proceeding = best_first[: -(-size_at_start // 2)]
    return {name for name, own in points.items() if own >= proceeding[-1]}


def stands_still(history: Sequence[RoundOutcome]) -> bool:
    """Return whether everybody proceeded in each of the last two rounds (K67)."""
    latest = history[-STANDSTILLS:]
    fields = [len(outcome.plan.members) for outcome in latest]
    return len(latest) == STANDSTILLS and fields == [len(outcome.survivors) for outcome in latest]
