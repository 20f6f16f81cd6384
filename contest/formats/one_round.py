"""Formats of one round: the melee, the round robin, and the round robin of match points."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from contest.formats.format import Format, everyone_meets_everyone
from contest.formats.standings import half_points, ranked, table
from contest.games.game import MATCH_POINT, GameInfo
from contest.language import noted
from contest.model import GroupPlan, Match, Pairing, RoundOutcome, RoundPlan, Standing
from contest.schema.sections import Tournament
from contest.seeds import Seeds


class Melee(Format):
    """All play in one game, in seats that are drawn; its result is the ranking (M1, M8).

    The setting `games` matters.
    """

    name = "melee"
    summary = "one game of all"
    first_place = noted(
        "All played at once. The first place goes to the team with the most points."
    )
    seats = None
    has_rounds = False

    def plan(
        self, entries: Sequence[str], history: Sequence[RoundOutcome], seeds: Seeds
    ) -> RoundPlan | None:
        """Return the only round, which is the final; the seats are drawn by `melee/seats`."""
        if history or not entries:
            return None
        members = tuple(seeds.shuffled("melee/seats", sorted(entries)))
        pairings = (Pairing(members, self._settings.games),) if len(members) > 1 else ()
        return RoundPlan(1, (GroupPlan(1, 1, members, pairings),), final=True)


class RoundRobin(Format):
    """One group of all, in which everyone meets everyone; it is the final (C6, B19).

    Nothing is drawn and nobody is eliminated. The points of all games are added, and the table is
    the result. The settings `self_play` and `games` matter.
    """

    name = "round-robin"
    summary = "one group of all, everyone meets everyone"
    first_place = noted(
        "Everybody met everybody. The first place goes to the team with the most points."
    )
    everyone_meets = True
    has_rounds = False

    def plan(
        self, entries: Sequence[str], history: Sequence[RoundOutcome], seeds: Seeds
    ) -> RoundPlan | None:
        """Return the only round, which is the final; None after it, or if nobody takes part."""
        if history or not entries:
            return None
        members = tuple(sorted(entries))
        group = GroupPlan(1, 1, members, everyone_meets_everyone(members, self._settings))
        return RoundPlan(1, (group,), final=True)


class Exact(RoundRobin):
    """Everyone meets everyone, and the greater share of a pairing's points is worth a match point.

    Made for games whose pairings are computed, not sampled (H10, H11): then a share is a win rate.
    A match point needs a share strictly above 0.500001, so that two who are equal except for
    rounding both get none. Only match points count. Nobody meets itself, whatever the settings.
    """

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
        """Return the table by match points."""
        points = dict.fromkeys((name for name in plan.members if name not in disqualified), 0)
        for name, won in match_points(matches).items():
            if name in points:
                points[name] = 2 * won * self._game.point
        return table(ranked(points), points, failures, disqualified, frozenset())


def match_points(matches: Sequence[Match]) -> Counter[str]:
    """Return how many others each entry beats."""
    by_pairing: defaultdict[Pairing, list[Match]] = defaultdict(list)
    for match in matches:
        by_pairing[match.pairing].append(match)
    won = Counter[str]()
    for pairing, of_it in by_pairing.items():
        points = half_points(pairing.players, of_it)
        needed = MATCH_POINT * sum(points.values())
        won.update(name for name, own in points.items() if own > needed)
    return won
