"""Double elimination: an entry that has lost two matches is out; the last one left has won (U10 to
U12).

- The bracket (bracket.py) and its byes are drawn at random; byes are in the first round only.
- A round has all matches that can be played, each in a group of its own; a bye is a group of one.
- A match has `games` games, and then more, one by one, while the points are equal, up to
  `max_games`. Then fewer faults decide, then the draw that gave the players their first seats
  (U11).
- The last match of the losers' side decides the third place, the final the first two; each has its
  own number of games. If the player from the losers' side wins the final, it is played once more
  (U12).
- Where failures disqualify, the disqualified are out at once, and the other one goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from contest.formats.bracket import FINAL, SECOND_FINAL, Bracket, MatchPlace, Result, Side
from contest.formats.format import Format
from contest.formats.standings import half_points, ranks_of, table
from contest.language import noted
from contest.model import GroupPlan, Match, Pairing, RoundOutcome, RoundPlan, Standing
from contest.seeds import Seeds

_FINALS = (Side.FINAL, Side.SECOND_FINAL)
BYE = "bye"


class DoubleElimination(Format):
    """See the module. The settings with the numbers of games matter."""

    name = "double-elimination"
    summary = "out after two lost matches"
    first_place = noted(
        "A team was out after two lost matches. The first place goes to the winner of the final."
    )
    ranks_by_points = False

    def plan(
        self, entries: Sequence[str], history: Sequence[RoundOutcome], seeds: Seeds
    ) -> RoundPlan | None:
        """Return the next round. The bracket is drawn by `bracket`, each match's first seats by
        `match/<round>/...`.

        It is not known before the final whether it is the last match. So no round is planned as the
        final, except in a field of one.
        """
        field = sorted(entries)
        if not field or (len(field) == 1 and history):
            return None
        if len(field) == 1:
            return RoundPlan(1, (GroupPlan(1, 1, (field[0],), (), BYE),), final=True)
        bracket = self._bracket(field, history, seeds)
        number = len(history) + 1
        groups = [
            self._group(number, index, place=place, players=players, bracket=bracket, seeds=seeds)
            for index, (place, players) in enumerate(_ready(bracket), start=1)
        ]
        if not history:
            pairs = zip(bracket.places[::2], bracket.places[1::2], strict=True)
            alone = (name for name, other in pairs if name is not None and other is None)
            groups += [
                GroupPlan(number, index, (name,), (), BYE)
                for index, name in enumerate(alone, start=len(groups) + 1)
            ]
        return RoundPlan(number, tuple(groups), final=False) if groups else None

    def standings(
        self,
        plan: GroupPlan,
        final: bool,
        matches: Sequence[Match],
        failures: Mapping[str, int],
        disqualified: AbstractSet[str],
    ) -> tuple[Standing, ...]:
        """Return the two players of a match, the winner first. The winner advances, and a loser who
        has not lost before; nobody from the final, unless it is played again."""
        ordered = _best_first(plan, [n for n in plan.members if n not in disqualified], matches)
        points = half_points(ordered, matches)
        staying = frozenset() if final else _staying(plan, ordered)
        return table(enumerate(ordered, start=1), points, failures, disqualified, staying)

    def ends_in_final(self, last: RoundPlan) -> bool:
        """Return whether the last round was a final; it was not if nobody was left to play it."""
        return last.final or any(group.title in _FINALS for group in last.groups)

    def ranking(self, history: Sequence[RoundOutcome]) -> tuple[Standing, ...]:
        """Ranked by how far an entry came: those out in the same round share a rank. The points are
        those of all matches."""
        points, failed = Counter[str](), Counter[str]()
        reach: dict[str, tuple[bool, int, bool]] = {}
        out: set[str] = set()
        for outcome in history:
            for group in outcome.groups:
                for line in group.standings:
                    points[line.entry] += line.half_points
                    failed[line.entry] += line.failures
                    out |= {line.entry} if line.disqualified else set()
                    decided = group.plan.title in _FINALS and line.rank == 1
                    reach[line.entry] = (line.advances, outcome.plan.number, decided)
        ordered = sorted(sorted(reach.keys() - out), key=lambda name: reach[name], reverse=True)
        ranks = ranks_of([reach[name] for name in ordered])
        return table(zip(ranks, ordered, strict=True), points, failed, out, frozenset())

    def _bracket(
        self, field: Sequence[str], history: Sequence[RoundOutcome], seeds: Seeds
    ) -> Bracket:
        """Return the bracket as drawn, with everything that has been played."""
        bracket = Bracket(_draw(field, seeds))
        for outcome in history:
            # byes come after the matches
            played = zip(_ready(bracket), outcome.groups, strict=False)
            for (place, _), group in played:
                ranked = [line.entry for line in group.standings if not line.disqualified]
                winner, loser, *_ = (*ranked, None, None)
                bracket.add(place, Result(winner, loser))
        return bracket

    def _group(
        self,
        number: int,
        index: int,
        place: MatchPlace,
        players: tuple[str, str],
        bracket: Bracket,
        seeds: Seeds,
    ) -> GroupPlan:
        games = self._games(place, bracket)
        seated = tuple(seeds.shuffled(f"match/{number}/{index}/seats", sorted(players)))
        pairing = Pairing(seated, games, max(games, self._settings.max_games))
        return GroupPlan(number, index, players, (pairing,), str(place.side))

    def _games(self, place: MatchPlace, bracket: Bracket) -> int:
        if place.side in _FINALS:
            return self._settings.final_games
        if place == bracket.last_of_losers:
            return self._settings.third_place_games
        return self._settings.games


def _draw(field: Sequence[str], seeds: Seeds) -> list[str | None]:
    """Return the places of the first round: byes are drawn among its matches, at most one for each
    (U10)."""
    matches = 1 << (len(field) - 1).bit_length() >> 1
    order: list[str | None] = list(seeds.shuffled("bracket/entries", field))
    byes = seeds.shuffled("bracket/byes", range(matches))[: 2 * matches - len(field)]
    for match in sorted(byes):
        order.insert(2 * match + 1, None)
    return order


def _ready(bracket: Bracket) -> list[tuple[MatchPlace, tuple[str, str]]]:
    """Return the matches to play now, in the order of the bracket: one round of each side."""
    matches = bracket.open_matches()
    earliest = {place.side: place.round for place, _ in reversed(matches)}
    return [
        match for match in matches if match[0].round == earliest[match[0].side]
    ] or _second_final(bracket)


def _second_final(bracket: Bracket) -> list[tuple[MatchPlace, tuple[str, str]]]:
    """It is played if the final's loser is the champion of the winners' side, who was its first
    player."""
    final = bracket.outcomes.get(FINAL)
    if final is None or SECOND_FINAL in bracket.outcomes:
        return []
    if final.winner is None or final.loser is None or final.loser != bracket.players[FINAL][0]:
        return []
    return [(SECOND_FINAL, (final.loser, final.winner))]


def _best_first(plan: GroupPlan, names: Sequence[str], matches: Sequence[Match]) -> list[str]:
    """Ordered by more points, then fewer faults, then the draw of the first seat (U11)."""
    points = half_points(names, matches)
    faults = Counter[str]()
    for match in matches:
        for name, seat in match.sides:
            faults[name] += seat.faults
    drawn = [name for pairing in plan.pairings for name in pairing.players] or list(names)
    return sorted(names, key=lambda name: (-points[name], faults[name], drawn.index(name)))


def _staying(plan: GroupPlan, best_first: Sequence[str]) -> AbstractSet[str]:
    """Return the players who are still in the contest after this match."""
    if plan.title in (Side.WINNERS, BYE):
        return set(best_first)
    if plan.title == Side.LOSERS:
        return set(best_first[:1])
    champion = plan.members[0]  # of the winners' side
    again = plan.title == Side.FINAL and best_first[:1] != [champion] and champion in best_first
    return set(best_first) if again else set()
