"""Round robin: one group of all, in which everyone meets everyone; it is the final (C6, B19).

Nothing is drawn and nobody is eliminated. The points of all games are added, and the table is the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from contest.config.sections import Tournament
from contest.games.base import GameInfo
from contest.model import GroupPlan, Match, RoundOutcome, RoundPlan, Standing
from contest.seeds import Seeds
from tournament.formats.pairings import everyone_meets_everyone
from tournament.standings import standing_list


class RoundRobin:
    """See the module; of the contest's settings self-play and the number of games matter."""

    name = "round-robin"
    seats = 2
    everyone_meets = True

    def __init__(self, settings: Tournament, _game: GameInfo) -> None:
        self._settings = settings

    def plan(self, entries: Sequence[str], history: Sequence[RoundOutcome], seeds: Seeds) -> RoundPlan | None:
        """The only round, which is the final; None after it, and where nobody takes part."""
        if history or not entries:
            return None
        members = tuple(sorted(entries))
        group = GroupPlan(1, 1, members, everyone_meets_everyone(members, self._settings))
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

    def ranking(self, history: Sequence[RoundOutcome]) -> tuple[Standing, ...]:
        """The table of the only round."""
        return history[-1].groups[0].standings
