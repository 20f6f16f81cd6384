"""Exact: everyone meets everyone, and the greater share of a pairing's points is worth a match point.

Made for games whose pairings are computed, not sampled (H10, H11): then a share is a win rate. A match point
needs a share strictly above 0.500001, so that two who are equal except for rounding both get none. Only match
points count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from contest.formats.round_robin import RoundRobin
from contest.formats.standings import half_points, ranked, table
from contest.games.game import MATCH_POINT, GameInfo
from contest.language import noted
from contest.model import GroupPlan, Match, Pairing, Standing
from contest.schema.sections import Tournament


class Exact(RoundRobin):
    """See the module. Nobody meets itself, whatever the settings."""

    name = "exact"
    summary = "the same, but a pairing won is a match point"
    first_place = noted(
        "Everybody met everybody. The first place goes to the team that beat the most others."
    )
    everyone_meets = False  # a match point says nothing about the game with oneself
    counts_match_points = True

    def __init__(self, settings: Tournament, game: GameInfo) -> None:
        super().__init__(settings.model_copy(update={"self_play": False}), game)

    def standings(
        self,
        plan: GroupPlan,
        final: bool,
        matches: Sequence[Match],
        failures: Mapping[str, int],
        disqualified: AbstractSet[str],
    ) -> tuple[Standing, ...]:
        """The table by match points."""
        points = dict.fromkeys((name for name in plan.members if name not in disqualified), 0)
        for name, won in match_points(matches).items():
            if name in points:
                points[name] = 2 * won * self._game.point
        return table(ranked(points), points, failures, disqualified, frozenset())


def match_points(matches: Sequence[Match]) -> Counter[str]:
    """How many others each entry beats."""
    by_pairing: defaultdict[Pairing, list[Match]] = defaultdict(list)
    for match in matches:
        by_pairing[match.pairing].append(match)
    won = Counter[str]()
    for pairing, of_it in by_pairing.items():
        points = half_points(pairing.players, of_it)
        needed = MATCH_POINT * sum(points.values())
        won.update(name for name, own in points.items() if own > needed)
    return won
