"""Melee: all play in one game, in seats that are drawn; its result is the ranking (M1, M8)."""

from __future__ import annotations

from collections.abc import Sequence

from contest.formats.format import Format
from contest.language import noted
from contest.model import GroupPlan, Pairing, RoundOutcome, RoundPlan
from contest.seeds import Seeds


class Melee(Format):
    """See the module. The setting `games` matters."""

    name = "melee"
    summary = "one game of all"
    first_place = noted("All played at once. The first place goes to the team with the most points.")
    seats = None
    has_rounds = False

    def plan(self, entries: Sequence[str], history: Sequence[RoundOutcome], seeds: Seeds) -> RoundPlan | None:
        """The only round, which is the final; the seats are drawn by `melee/seats`."""
        if history or not entries:
            return None
        members = tuple(seeds.shuffled("melee/seats", sorted(entries)))
        pairings = (Pairing(members, self._settings.games),) if len(members) > 1 else ()
        return RoundPlan(1, (GroupPlan(1, 1, members, pairings),), final=True)
