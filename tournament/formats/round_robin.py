"""Round robin: one group of all, in which everyone meets everyone once; it is the final (C6, B19).

Nothing is drawn and nobody is eliminated. The points of all games are added, and the table is the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from knobeln.clock import Seeds
from knobeln.config import Tournament
from knobeln.model import GroupPlan, Match, RoundOutcome, RoundPlan, Standing
from tournament.formats.pairings import everyone_meets_everyone
from tournament.standings import standing_list


class RoundRobin:
    """See the module; of the contest's settings only self-play matters."""

    name = "round-robin"
    seats = 2

    def __init__(self, settings: Tournament) -> None:
        self._self_play = settings.self_play

    def plan(self, entries: Sequence[str], history: Sequence[RoundOutcome], seeds: Seeds) -> RoundPlan | None:
        """The only round, which is the final; None after it, and where nobody takes part."""
        if history or not entries:
            return None
        members = tuple(sorted(entries))
        group = GroupPlan(1, 1, members, everyone_meets_everyone(members, self._self_play))
        return RoundPlan(1, (group,), final=True)

    def standings(
        self,
        plan: GroupPlan,
        final: bool,
        matches: Sequence[Match],
        failures: Mapping[str, int],
        disqualified: AbstractSet[str],
    ) -> tuple[Standing, ...]:
        """The table by points; nobody advances, because there is nothing to advance to."""
        return standing_list(plan.members, matches, failures, disqualified, frozenset())
