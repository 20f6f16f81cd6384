"""Collect the facts for round summaries, the bracket, a team's own result and the announcement.
Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate
from typing import NamedTuple

from contest.config.settings import Settings
from contest.games.game import GameInfo
from contest.games.registry import game_of
from contest.language import gettext
from contest.model import EvolutionOutcome, RoundOutcome, Standing, Team
from contest.public_number.beacon import BeaconKind
from contest.seeds import ContestSeed, Seeds
from reports import bracket, results, scores
from reports.evolution_table import condensed
from reports.prizes import PrizeList, grand_prize, prize_lists
from reports.results import Failure
from reports.text import ordinal

Teams = Mapping[str, Team]
History = Sequence[RoundOutcome]


def seed_facts(settings: Settings, seed: ContestSeed | None) -> dict[str, object]:
    """Return the contest seed and what it was made of, in hex, and what the game drew from it for
    all games and kept secret until the end. None: the contest is not over, and nothing is told."""
    if seed is None:
        names = ("seed", "secret", "entries_root", "public_number", "seed_commitment")
        return {**dict.fromkeys(names), "drawn": {}}
    game, seeds = game_of(settings.game, settings.programs), Seeds(seed.value)
    is_text = settings.tournament.beacon != BeaconKind.DRAND
    return {
        "seed": seed.value.hex(),
        "secret": seed.secret.hex(),
        "entries_root": seed.entries_root.hex(),
        "public_number": seed.number.decode(errors="replace") if is_text else seed.number.hex(),
        "seed_commitment": seed.commitment,
        "drawn": game.drawn_facts(partial(seeds.below, "game")),
    }


def bracket_facts(
    history: History, ranking: Sequence[Standing], game: GameInfo
) -> dict[str, object]:
    """Return the last round's matches, where each team is, and all sides of the bracket.

    `is_bracket` is False, and the only fact, if the contest has no bracket.
    """
    if not any(map(bracket.is_knock_out, history)):
        return {"is_bracket": False}
    return {
        "is_bracket": True,
        "matches": _by_side(history[-1], game),
        "byes": [m.players[0] for m in bracket.matches_of(history[-1:]) if m.is_bye],
        "trees": bracket.all_lines(history, game.point),
        "field": bracket.field_after(history),
        "champions": [standing.entry for standing in ranking if standing.rank == 1],
    }


def _by_side(outcome: RoundOutcome, game: GameInfo) -> Mapping[str, Sequence[str]]:
    matches = bracket.matches_of([outcome])
    return {
        side: bracket.round_lines([m for m in matches if m.side == side], game.point)
        for side in bracket.sides_of(matches)
    }


def prize_facts(
    ranking: Sequence[Standing], fields: Mapping[str, str], settings: Settings
) -> dict[str, object]:
    """Return the prizes by the field of the form, and the grand prize; none before the contest's
    end."""
    lists = prize_lists(ranking, fields, settings.teams) if ranking else ()
    return {"prizes": lists, "grand_prize": grand_prize(lists)}


def places(outcome: RoundOutcome, game: GameInfo) -> tuple[scores.MeleePlace, ...]:
    """Return the places if the round was a single melee, else (). The games must have been
    loaded."""
    melees = scores.melees(outcome.groups[0], game.max_turns) if len(outcome.groups) == 1 else ()
    return melees[0] if len(melees) == 1 else ()


def facts_of_contest(
    history: History,
    ranking: Sequence[Standing],
    evolution: EvolutionOutcome | None,
    seed: ContestSeed | None,
    prize_fields: Mapping[str, str],
    settings: Settings,
) -> dict[str, object]:
    """Return what both the summary of the last round and the announcement tell, as facts of
    templates."""
    last, game = history[-1], game_of(settings.game, settings.programs).info
    return {
        "ranking": ranking,
        "places": places(last, game),
        "failures": results.failures_of_round(last),
        "evolution": evolution,
        "generations": condensed(evolution) if evolution else None,
        **seed_facts(settings, seed),
        **bracket_facts(history, ranking, game),
        **prize_facts(ranking, prize_fields, settings),
    }


# --- one team's own result ------------------------------------------------------------------------
class Place(NamedTuple):
    """A team's line in a table, and where that is."""

    standing: Standing
    ahead: int  # how many are ahead of it
    peers: int  # how many share its place, itself included
    of: int  # how many have a place
    has_unranked: bool  # others have none
    in_group: bool  # the place is in its group, not in the contest

    @property
    def nth(self) -> str:
        """`3rd`, or `3rd to 5th` if it is shared; "" for a team without a place."""
        if self.standing.rank is None:
            return ""
        first, last = ordinal(self.ahead + 1), ordinal(self.ahead + self.peers)
        return first if first == last else gettext("%(first)s to %(last)s", first=first, last=last)


def places_in(table: Sequence[Standing], *, in_group: bool) -> Mapping[str, Place]:
    """Return the places of all teams in a ranking."""
    ranks = Counter(line.rank for line in table)
    ranked = sorted(rank for rank in ranks if rank is not None)
    ahead = dict(zip(ranked, accumulate((ranks[rank] for rank in ranked), initial=0), strict=False))
    return {
        line.entry: Place(
            standing=line,
            ahead=ahead.get(line.rank or 0, 0),
            peers=ranks[line.rank],
            of=len(table) - ranks[None],
            has_unranked=bool(ranks[None]),
            in_group=in_group,
        )
        for line in table
    }


def places_of(outcome: RoundOutcome, ranking: Sequence[Standing]) -> Mapping[str, Place]:
    """Return the places of the teams of this round: in the contest's ranking, or else in their
    groups."""
    if ranking:
        return places_in(ranking, in_group=False)
    in_groups = (places_in(group.standings, in_group=True) for group in outcome.groups)
    return {name: place for places in in_groups for name, place in places.items()}


@dataclass(frozen=True)
class OwnResult:
    """A team's own result at the end of its contest; it tells nothing about other teams."""

    at: Place
    failures: tuple[Failure, ...]
    prizes: tuple[tuple[str, int], ...]  # value of the field, and place
    has_grand_prize: bool


@dataclass(frozen=True)
class OwnResults:
    """The results of all teams that leave after the last of these rounds; `prizes` are all lists of
    them.

    What many of them need is looked up once.
    """

    history: History
    ranking: Sequence[Standing]
    prizes: Sequence[PrizeList]

    def of(self, name: str) -> OwnResult:
        return OwnResult(
            at=self._when_knocked_out(name) if self._is_knocked_out else self._places[name],
            failures=results.alike(self._failures.get(name, ())),
            prizes=tuple(
                (prizes.value, number)
                for prizes in self.prizes
                for number, line in prizes.places
                if line.entry == name
            ),
            has_grand_prize=any(line.entry == name for line in grand_prize(self.prizes)),
        )

    def _when_knocked_out(self, name: str) -> Place:
        """Return the place of a team that was knocked out.

        Teams that are out in the same round share the places after all teams that are still in the
        contest.
        """
        lines, field = self._lines[name], self._field
        own, points = lines[-1], sum(line.half_points for line in lines)
        peers = sum(not self._lines[other][-1].disqualified for other in field.out_now)
        standing = Standing(
            entry=name,
            half_points=points,
            rank=own.rank,
            failures=own.failures,
            disqualified=own.disqualified,
            advances=False,
        )
        members = sum(len(group.plan.members) for group in self.history[0].groups)
        ahead = len(field.unbeaten) + len(field.beaten)
        return Place(standing, ahead, peers, members, has_unranked=False, in_group=False)

    @cached_property
    def _is_knocked_out(self) -> bool:
        return not self.ranking and bracket.is_knock_out(self.history[-1])

    @cached_property
    def _places(self) -> Mapping[str, Place]:
        return places_of(self.history[-1], self.ranking)

    @cached_property
    def _field(self) -> bracket.StillIn:
        return bracket.field_after(self.history)

    @cached_property
    def _lines(self) -> Mapping[str, Sequence[Standing]]:
        """The lines of each team, round by round."""
        lines = defaultdict[str, list[Standing]](list)
        for outcome in self.history:
            for group in outcome.groups:
                for line in group.standings:
                    lines[line.entry].append(line)
        return lines

    @cached_property
    def _failures(self) -> Mapping[str, Sequence[Failure]]:
        """The failures of each team, in the order of the games."""
        failures = defaultdict[str, list[Failure]](list)
        for outcome in self.history:
            for group in outcome.groups:
                for match in group.matches:
                    for failure in results.failures_of_match(match):
                        failures[failure.entry] += results.own_failures([match], failure.entry)
        return failures
