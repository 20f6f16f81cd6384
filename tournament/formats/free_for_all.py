"""FreeForAll: one game of all, in places that are drawn; what it ends with is the ranking (M1, M8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from contest.config.sections import Tournament
from contest.games.base import GameInfo
from contest.model import GroupPlan, Match, Pairing, RoundOutcome, RoundPlan, Standing
from contest.seeds import Seeds
from tournament.standings import standing_list


class FreeForAll:
    """See the module; of the contest's settings the number of games matters."""

    name = "melee"
    seats = None
    everyone_meets = False

    def __init__(self, settings: Tournament, _game: GameInfo) -> None:
        self._settings = settings

    def plan(self, entries: Sequence[str], history: Sequence[RoundOutcome], seeds: Seeds) -> RoundPlan | None:
        """The only round, which is the final; the seats are drawn by `melee/seats`."""
        if history or not entries:
            return None
        members = tuple(seeds.shuffled("melee/seats", sorted(entries)))
        pairings = (Pairing(members, self._settings.games),) if len(members) > 1 else ()
        return RoundPlan(1, (GroupPlan(1, 1, members, pairings),), final=True)

    def standings(
        self,
        plan: GroupPlan,
        final: bool,
        matches: Sequence[Match],
        failures: Mapping[str, int],
        disqualified: AbstractSet[str],
    ) -> tuple[Standing, ...]:
        """The table by points."""
        return standing_list(plan.members, matches, failures, disqualified, frozenset())

    def ranking(self, history: Sequence[RoundOutcome]) -> tuple[Standing, ...]:
        """The table of the only round."""
        return history[-1].groups[0].standings
