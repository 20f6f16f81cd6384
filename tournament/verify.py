"""A contest computed again, and compared with what is said of it, to the last point.

Rounds are drawn again, groups carried out again by the referee, and every table made again; the first thing
that is not the same is named. Where the games come from is the caller's business: played again by the same
programs, or as they were written down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest

from contest.config.settings import Settings
from contest.errors import Differs
from contest.formats.base import Format
from contest.games.registry import game_of
from contest.model import (
    EvolutionOutcome,
    FinalReplays,
    GroupOutcome,
    GroupPlan,
    Match,
    RoundOutcome,
    RoundPlan,
    SeatResult,
    Standing,
)
from contest.plurals import plural
from contest.protocols import Runner
from contest.seeds import Seeds
from contest.standings import banned_in
from tournament import referee
from tournament.day import next_plan
from tournament.derived_settings import format_of
from tournament.evolution import evolve, score_matrix
from tournament.statistics import replay_final

GroupArena = Callable[[GroupOutcome], AbstractContextManager[Runner]]
"""Where the games of this group come from, which is given as it is said to have been played."""

Seen = Callable[[GroupOutcome], None]
"""Is told of each group that was found to be as it is said."""


@dataclass(frozen=True)
class Claim:
    """What is said of a contest. `images`: the digests of the entries' programs, by name.

    What the organizer decides follows from nothing; in which rounds it held shows in what is said of them.
    """

    settings: Settings
    seeds: Seeds
    images: Mapping[str, str]
    history: tuple[RoundOutcome, ...]
    ranking: tuple[Standing, ...]
    evolution: EvolutionOutcome | None
    replays: FinalReplays | None
    banned: frozenset[str] = frozenset()  # whom the organizer took out, at some time or other


def check(claim: Claim, arena_of: GroupArena, seen: Seen) -> None:
    """Raises Differs, naming the first difference."""
    chosen = format_of(claim.settings)
    history, has_final = _check_rounds(claim, chosen, arena_of, seen)
    _check_table("the contest's ranking", claim.ranking, chosen.ranking(history))
    _check_evolution(claim, history[-1])
    wanted = claim.settings.tournament.final_replays if has_final else 0
    _check_replays(claim, chosen, history[-1].groups[0], wanted, arena_of)


def _check_rounds(
    claim: Claim, chosen: Format, arena_of: GroupArena, seen: Seen
) -> tuple[tuple[RoundOutcome, ...], bool]:
    """All rounds, and whether the last was drawn as the final: it may be the last because nobody is left."""
    history: tuple[RoundOutcome, ...] = ()
    has_final = False
    while (plan := _next(claim, chosen, history)) is not None:
        if len(claim.history) < plan.number:
            raise Differs(f"round {plan.number} is missing: the contest was not over before it")
        said = claim.history[plan.number - 1]
        plan = _seated(claim, chosen, plan, said.plan)
        _check_plan(said.plan, plan)
        groups = tuple(
            _check_group(claim, chosen, group, plan.final, arena_of, seen) for group in said.groups
        )
        history = (*history, RoundOutcome(plan, groups))
        has_final = plan.final
        final = plan.final or _next(claim, chosen, history) is None
        history = (*history[:-1], replace(history[-1], plan=replace(plan, final=final)))
        if said.plan.final != final:
            raise Differs(
                f"round {plan.number} is {'' if final else 'not '}the last, which is said otherwise"
            )
    if not history or len(claim.history) > len(history):
        raise Differs(
            f"the contest is said to have {plural(len(claim.history), 'round')}, but it has {len(history)}"
        )
    return history, has_final


# --- whom the organizer took out ---------------------------------------------------------------------------
def _next(claim: Claim, chosen: Format, history: tuple[RoundOutcome, ...]) -> RoundPlan | None:
    """The next round; who was banned and is not said to be in it had no place in its draw."""
    said = claim.history[len(history)].plan.groups if len(history) < len(claim.history) else ()
    gone = claim.banned - {name for group in said for name in group.members}
    return next_plan(chosen, tuple(claim.images), history, claim.seeds, gone)


def _seated(claim: Claim, chosen: Format, drawn: RoundPlan, said: RoundPlan) -> RoundPlan:
    """Of a game of all: without those who were banned when it began."""
    if chosen.seats is not None or len(said.groups) != len(drawn.groups):
        return drawn
    pairs = zip(drawn.groups, said.groups, strict=True)
    return replace(drawn, groups=tuple(_without_seats(claim, ours, theirs) for ours, theirs in pairs))


def _without_seats(claim: Claim, drawn: GroupPlan, said: GroupPlan) -> GroupPlan:
    seated = {name for pairing in said.pairings for name in pairing.players}
    players = tuple(name for name in drawn.members if name in seated or name not in claim.banned)
    if len(players) < 2:
        return drawn
    return replace(drawn, pairings=tuple(replace(pairing, players=players) for pairing in drawn.pairings))


def _banned_in(claim: Claim, said: GroupOutcome) -> frozenset[str]:
    """Who was banned when the group was played: disqualified in it without a failure."""
    return claim.banned & banned_in(said.standings) & set(said.plan.members)


# --- draws -------------------------------------------------------------------------------------------------
def _check_plan(said: RoundPlan, drawn: RoundPlan) -> None:
    if len(said.groups) != len(drawn.groups):
        raise Differs(
            f"round {drawn.number} is said to have {plural(len(said.groups), 'group')}, "
            f"but by the seed it has {len(drawn.groups)}"
        )
    for ours, theirs in zip(drawn.groups, said.groups, strict=True):
        if theirs != ours:
            raise Differs(f"{_place(ours)} was drawn otherwise: {_first_in_draw(theirs, ours)}")


def _first_in_draw(said: GroupPlan, drawn: GroupPlan) -> str:
    if said.members != drawn.members:
        pairs = zip_longest(said.members, drawn.members, fillvalue="nobody")
        number, (theirs, ours) = next((n, pair) for n, pair in enumerate(pairs, 1) if pair[0] != pair[1])
        return f"member {number} is said to be {theirs}, but by the seed it is {ours}"
    return "it is said to have other games, or another title, than the rules give it"


def _place(plan: GroupPlan) -> str:
    return f"round {plan.round}, {plan.title or f'group {plan.number}'}"


# --- games and tables --------------------------------------------------------------------------------------
def _check_group(
    claim: Claim, chosen: Format, said: GroupOutcome, final: bool, arena_of: GroupArena, seen: Seen
) -> GroupOutcome:
    try:
        _must_be_of_its_plan(said)
        with arena_of(said) as runner:
            computed = referee.play_group(
                said.plan,
                images={name: claim.images[name] for name in said.plan.members},
                seeds=claim.seeds,
                runner=runner,
                protocols_for=frozenset(),
                standings=partial(chosen.standings, said.plan, final),
                fault_rule=game_of(claim.settings.game, claim.settings.programs).info.fault_rule,
                banned=_banned_in(claim, said),
            )
        _check_matches(said.matches, computed.matches)
        _check_table("the ranking", said.standings, computed.standings)
    except Differs as error:
        raise Differs(f"{_place(said.plan)}: {error}") from None
    seen(said)
    return computed


def _must_be_of_its_plan(said: GroupOutcome) -> None:
    planned = frozenset(said.plan.pairings)
    for match in said.matches:
        if match.pairing not in planned:
            raise Differs(
                f"there is a game of {' and '.join(match.pairing.players)}, which was not to be played"
            )


def _check_matches(said: Sequence[Match], computed: Sequence[Match]) -> None:
    known = {_key(match): match for match in said}
    for ours in computed:
        theirs = known.pop(_key(ours), None)
        if theirs is None:
            raise Differs(f"{name_of(ours)} is missing")
        compare(theirs, ours)
    if known:
        raise Differs(f"{name_of(next(iter(known.values())))} was not played by the rules")
    if tuple(map(_key, said)) != tuple(map(_key, computed)):
        raise Differs("the games stand in another order, or twice")


def _key(match: Match) -> tuple[object, ...]:
    return match.pairing, match.game, match.attempt


def name_of(match: Match) -> str:
    """Which attempt at which game, in a few words."""
    number = f", game {match.game}" if max(match.pairing.games, match.pairing.most) > 1 else ""
    attempt = f", attempt {match.attempt}" if match.attempt > 1 else ""
    return f"{' against '.join(match.players)}{number}{attempt}"


def compare(said: Match, computed: Match) -> None:
    """Raises Differs with the first thing that is not the same of a game that was played again."""
    theirs, ours = said.result, computed.result
    facts: list[tuple[str, object, object]] = [
        ("points", _points(theirs.seats), _points(ours.seats)),
        ("the digest of the moves", theirs.digest, ours.digest),
        ("turns", theirs.turns, ours.turns),
        ("that it counts", said.counted, computed.counted),
    ]
    for name, own, other in zip(said.players, theirs.seats, ours.seats, strict=False):
        facts += [
            (f"the verdict on {name}", str(own.verdict), str(other.verdict)),
            (f"the instructions of {name}", own.instructions, other.instructions),
            (f"the memory of {name}", own.memory, other.memory),
            (f"the fault of {name}", own.fault, other.fault),
            (f"what {name} did", own, other),
        ]
    facts.append(("the game", replace(theirs, moves=None), replace(ours, moves=None)))
    for what, told, found in facts:
        if told != found:
            raise Differs(f"{name_of(computed)}: {what}: said to be {told}, but played again {found}")


def _points(seats: Iterable[SeatResult]) -> str:
    return ":".join(str(seat.points) for seat in seats)


def _check_table(what: str, said: Sequence[Standing], computed: Sequence[Standing]) -> None:
    for place, (theirs, ours) in enumerate(zip_longest(said, computed), start=1):
        if theirs != ours:
            raise Differs(f"{what}, line {place}: said to be {_line(theirs)}, but computed {_line(ours)}")


def _line(line: Standing | None) -> str:
    if line is None:
        return "nothing"
    fate = "disqualified" if line.disqualified else f"rank {line.rank}"
    return (
        f"{line.entry}, {fate}, {plural(line.half_points, 'half point')}, {plural(line.failures, 'failure')}"
        f"{', proceeds' if line.advances else ''}"
    )


# --- evolution ---------------------------------------------------------------------------------------------
def _check_evolution(claim: Claim, final: RoundOutcome) -> None:
    said, settings = claim.evolution, claim.settings.evolution
    if (said is not None) != settings.enabled:
        raise Differs(f"the evolution: there is {'one' if said else 'none'}, against the settings")
    if said is None:
        return
    # One more than it is said to have is enough to see a difference, however far others would go.
    most = min(settings.max_generations, len(said.generations))
    computed = evolve(score_matrix(final.groups[0]), settings.model_copy(update={"max_generations": most}))
    pairs = zip_longest(said.generations, computed.generations)
    for generation, (theirs, ours) in enumerate(pairs):
        if theirs != ours:
            raise Differs(f"the evolution, generation {generation}: said to be {theirs}, but computed {ours}")
    for line, (told, found) in enumerate(zip_longest(said.ranking, computed.ranking), start=1):
        if told != found:
            raise Differs(f"the evolution's ranking, line {line}: said to be {told}, but computed {found}")
    if said != computed:
        raise Differs("the evolution: its entries, or how it ended, are said to be others than computed")


# --- replays -----------------------------------------------------------------------------------------------
def _check_replays(
    claim: Claim, chosen: Format, final: GroupOutcome, wanted: int, arena_of: GroupArena
) -> None:
    if (claim.replays.times if claim.replays else 0) != wanted:
        raise Differs(f"the replays of the final: there are others than {wanted}, which the settings want")
    if not wanted:
        return
    banned = _banned_in(claim, final)
    with arena_of(final) as runner:
        computed = replay_final(final.plan, claim.images, claim.seeds, runner, claim.settings, chosen, banned)
    if claim.replays != computed:
        raise Differs(f"the replays of the final: said to be {claim.replays}, but computed {computed}")
