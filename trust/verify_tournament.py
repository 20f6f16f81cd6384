"""Compute a contest again and compare it with a claim about it, to the last point.

Rounds are drawn again, the referee carries out the groups again, and every table is made again; the
first difference is named. The caller provides the runner: it plays the games again, or checks
recorded ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest

from contest.errors import Differs
from contest.formats.standings import banned_in
from contest.interfaces.protocols import Runner
from contest.language import speaking
from contest.model import (
    EvolutionOutcome,
    EvolutionRank,
    GroupOutcome,
    GroupPlan,
    Match,
    RoundOutcome,
    RoundPlan,
    Standing,
)
from contest.util.plurals import plural
from tournament.evolution import MAX_GENERATIONS, evolve, score_matrix
from tournament.field import Field
from tournament.rounds import ended, rounds
from tournament.runners.recorded import name_of
from trust.archive.findings import step

_OF_A_SEAT = ("verdict", "instructions", "memory", "fault", "faults", "last_turn", "stderr_tail")
CheckingRunner = Callable[[GroupOutcome], AbstractContextManager[Runner]]
"""Open a runner for the games of this group, given the group as it is claimed to have been
played."""


@dataclass(frozen=True)
class Claim:
    """The results that an archive claims. `field`: with all entries.

    The organizer's decisions cannot be computed; the claimed rounds show when they held.
    """

    field: Field
    history: tuple[RoundOutcome, ...]
    ranking: tuple[Standing, ...]
    evolution: EvolutionOutcome | None
    banned: frozenset[str] = frozenset()  # entries that the organizer took out at any time


def check(claim: Claim, open_runner: CheckingRunner) -> None:
    """Raises Differs, naming the first difference."""
    history = _check_rounds(claim, open_runner)
    with step("ranking"):
        _check_table("the contest's ranking", claim.ranking, claim.field.format.ranking(history))
    with step("evolution"):
        _check_evolution(claim, history[-1])


def _check_rounds(claim: Claim, open_runner: CheckingRunner) -> tuple[RoundOutcome, ...]:
    field = claim.field
    history: list[RoundOutcome] = []
    for drawn in rounds(
        field.format, tuple(field.images), field.seeds, history, lambda: _gone(claim, len(history))
    ):
        if len(claim.history) < drawn.number:
            raise Differs(f"round {drawn.number} is missing: the contest was not over before it")
        claimed = claim.history[drawn.number - 1]
        plan = _seated(claim, drawn, claimed.plan)
        _check_plan(claimed.plan, plan)
        groups = tuple(
            _check_group(claim, group, plan.final, open_runner) for group in claimed.groups
        )
        history.append(RoundOutcome(plan, groups))
    if not history or len(claim.history) > len(history):
        raise Differs(
            f"the archive has {plural(len(claim.history), 'round')}, but the contest has"
            f" {len(history)}"
        )
    computed = ended(field.format, history)
    for theirs, ours in zip(claim.history, computed, strict=True):
        if theirs.plan.final != ours.plan.final:
            raise Differs(
                f"round {ours.plan.number} is {'' if ours.plan.final else 'not '}the final, but the"
                " archive says otherwise"
            )
    return computed


# --- entries that the organizer took out ----------------------------------------------------------
def _gone(claim: Claim, played: int) -> frozenset[str]:
    """The banned entries that are not in the claimed round after this many: they took no part in
    its draw."""
    claimed = claim.history[played].plan.groups if played < len(claim.history) else ()
    return claim.banned - {name for group in claimed for name in group.members}


def _seated(claim: Claim, drawn: RoundPlan, claimed: RoundPlan) -> RoundPlan:
    """The group as played: without those who were banned when it began, if all play in one game."""
    if claim.field.format.seats is not None or len(claimed.groups) != len(drawn.groups):
        return drawn
    groups = []
    for group, played in zip(drawn.groups, claimed.groups, strict=True):
        seated = {name for pairing in played.pairings for name in pairing.players}
        groups.append(group.without_seats(claim.banned - seated))
    return replace(drawn, groups=tuple(groups))


# --- draws ----------------------------------------------------------------------------------------
def _check_plan(claimed: RoundPlan, drawn: RoundPlan) -> None:
    if len(claimed.groups) != len(drawn.groups):
        raise Differs(
            f"round {drawn.number} has {plural(len(claimed.groups), 'group')} in the archive, "
            f"but {len(drawn.groups)} by the seed"
        )
    for ours, theirs in zip(drawn.groups, claimed.groups, strict=True):
        if theirs != ours:
            raise Differs(f"{_place(ours)} was drawn differently: {_first_in_draw(theirs, ours)}")


def _first_in_draw(claimed: GroupPlan, drawn: GroupPlan) -> str:
    if claimed.members != drawn.members:
        pairs = zip_longest(claimed.members, drawn.members, fillvalue="nobody")
        number, (theirs, ours) = next(
            (n, pair) for n, pair in enumerate(pairs, 1) if pair[0] != pair[1]
        )
        return f"member {number} is {theirs} in the archive, but {ours} by the seed"
    return "its games or its title are not those that the rules give it"


def _place(plan: GroupPlan) -> str:
    return f"round {plan.round}, {plan.title or f'group {plan.number}'}"


# --- games and tables -----------------------------------------------------------------------------
def _check_group(
    claim: Claim, claimed: GroupOutcome, final: bool, open_runner: CheckingRunner
) -> GroupOutcome:
    planned = frozenset(claimed.plan.pairings)
    # Banned when the group was played: disqualified in it without a failure.
    banned = claim.banned & banned_in(claimed.standings) & set(claimed.plan.members)
    try:
        for match in claimed.matches:
            if match.pairing not in planned:
                names = " and ".join(match.pairing.players)
                raise Differs(f"there is a game of {names}, which should not have been played")
        # The archive has the sentences about faults of computed games.
        with speaking(claim.field.settings.contest.language), open_runner(claimed) as runner:
            computed = claim.field.play_group(claimed.plan, final, runner, banned=banned)
        _check_matches(claimed.matches, computed.matches)
        _check_table("the ranking", claimed.standings, computed.standings)
    except Differs as error:
        raise Differs(f"{_place(claimed.plan)}: {error}") from None
    return claimed


def _check_matches(claimed: Sequence[Match], computed: Sequence[Match]) -> None:
    known = {_key(match): match for match in claimed}
    for ours in computed:
        theirs = known.pop(_key(ours), None)
        if theirs is None:
            raise Differs(f"{name_of(ours)} is missing")
        compare(theirs, ours)
    if known:
        raise Differs(f"{name_of(next(iter(known.values())))} was not played by the rules")
    if tuple(map(_key, claimed)) != tuple(map(_key, computed)):
        raise Differs("the games are in a different order, or one is there twice")


def _key(match: Match) -> tuple[object, ...]:
    return match.pairing, match.game, match.attempt


def compare(claimed: Match, computed: Match) -> None:
    """Raises Differs, naming the first difference between the claimed game and the one played
    again."""
    for (what, theirs), (_, ours) in zip(_facts(claimed), _facts(computed), strict=False):
        if theirs != ours:
            raise Differs(f"{name_of(computed)}: {what}: archived {theirs}, but computed {ours}")


def _facts(match: Match) -> Iterator[tuple[str, object]]:
    """What a game was, by what it is called: first what differs if the seats are more or fewer."""
    result = match.result
    yield "points", ":".join(str(seat.points) for seat in result.seats)
    yield "the digest of the moves", result.digest
    yield "turns", result.turns
    yield "whether it counts", match.counted
    yield "whether it was played to its end", result.is_whole
    yield "whether its moves are kept", result.moves is not None
    for name, seat in zip(match.players, result.seats, strict=False):
        yield from (
            (f"the {what.replace('_', ' ')} of {name}", getattr(seat, what)) for what in _OF_A_SEAT
        )


def _check_table(
    what: str,
    claimed: Sequence[Standing | EvolutionRank],
    computed: Sequence[Standing | EvolutionRank],
) -> None:
    for place, (theirs, ours) in enumerate(zip_longest(claimed, computed), start=1):
        if theirs != ours:
            raise Differs(f"{what}, line {place}: {_difference(theirs, ours)}")


def _difference(
    claimed: Standing | EvolutionRank | None, computed: Standing | EvolutionRank | None
) -> str:
    """The first thing in which two lines differ, of which one may be missing."""
    if claimed is None or computed is None:
        stated, follows = (
            "nothing" if line is None else line.entry for line in (claimed, computed)
        )
        return f"archived {stated}, but computed {follows}"
    theirs, ours = asdict(claimed), asdict(computed)
    name = next(field for field in ours if theirs[field] != ours[field])
    return (
        f"{computed.entry}, {name.replace('_', ' ')}: archived {theirs[name]}, but computed"
        f" {ours[name]}"
    )


# --- evolution ------------------------------------------------------------------------------------
def _check_evolution(claim: Claim, final: RoundOutcome) -> None:
    claimed, settings = claim.evolution, claim.field.settings.evolution
    if (claimed is not None) != (settings.enabled and final.plan.final):
        raise Differs(
            f"the evolution: there is {'one' if claimed else 'none'}, contrary to the settings and"
            " the rounds"
        )
    if claimed is None:
        return
    # One generation more than claimed is enough to see a difference.
    most = min(MAX_GENERATIONS, len(claimed.generations))
    computed = evolve(score_matrix(final.groups[0]), settings, most)
    pairs = zip_longest(claimed.generations, computed.generations)
    for generation, (theirs, ours) in enumerate(pairs):
        if theirs != ours:
            archived, here = theirs or "nothing", ours or "nothing"
            raise Differs(
                f"the evolution, generation {generation}: archived {archived}, but computed {here}"
            )
    _check_table("the evolution's ranking", claimed.ranking, computed.ranking)
    if claimed != computed:
        raise Differs("the evolution: its entries, or its end, differ from those computed")
