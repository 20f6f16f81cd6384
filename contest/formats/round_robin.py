"""Round robin: one group of all, in which everyone meets everyone; it is the final (C6, B19).

Nothing is drawn and nobody is eliminated. The points of all games are added, and the table is the result.
"""

from __future__ import annotations

from collections.abc import Sequence

from contest.formats.format import Format, everyone_meets_everyone
from contest.language import noted
from contest.model import GroupPlan, RoundOutcome, RoundPlan
from contest.seeds import Seeds


class RoundRobin(Format):
    """See the module. The settings `self_play` and `games` matter."""

    name = "round-robin"
    summary = "one group of all, everyone meets everyone"
    first_place = noted("Everybody met everybody. The first place goes to the team with the most points.")
    everyone_meets = True
    has_rounds = False

    def plan(self, entries: Sequence[str], history: Sequence[RoundOutcome], seeds: Seeds) -> RoundPlan | None:
        """The only round, which is the final; None after it, or if nobody takes part."""
        if history or not entries:
            return None
        members = tuple(sorted(entries))
        group = GroupPlan(1, 1, members, everyone_meets_everyone(members, self._settings))
        return RoundPlan(1, (group,), final=True)
