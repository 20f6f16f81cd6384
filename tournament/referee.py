"""The referee carries out the games of a group under the game's fault rule. Pure but for the
runner.

Under the rule REPLAY (K70-K76) a game with a failure is discarded and played again, and a second
failure in the round disqualifies. Under every other rule a game that was played stands, because the
rules of the game have already dealt with its faults.

Every game has its slot in a fixed schedule, in which everyone plays one game per slot. In the slots
after a second failure no game of the disqualified entry is carried out, and none that was carried
out before is counted. The failures of others in games that were carried out stay charged (K75).

To use all workers, games are played in waves of many slots. The results of a wave are then taken in
the order of the slots, and a game that would not have been carried out is forgotten. So no result
depends on how many workers there are, or which was quick. The games of a wave follow from the games
played before it alone:

1. the opening: the first slots, in which failures disqualify. A program that does not work at all
   is out after these, and the others do not wait for its 40 time-outs;
2. all other games;
3. games that failed, again with new random streams (K74), and one more game for each pairing in
   which the best are equal, as long as it may have one (U11); until none is left.

It ends: every wave after the second repeats only games that failed between two who remain. Each
such game charged somebody with a first failure, and nobody who remains has two. No pairing has more
games than it may.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import NamedTuple

from contest.errors import EngineFailed
from contest.formats.standings import disqualified, failures, half_points
from contest.games.game import FaultRule
from contest.interfaces.protocols import Runner
from contest.model import (
    GameJob,
    GameResult,
    GroupOutcome,
    GroupPlan,
    Match,
    Pairing,
    Standing,
    Verdict,
)
from contest.seeds import Seeds

OPENING_SLOTS = 2  # as many as it takes to be disqualified
MAX_REPLAYS = 3  # of a game that our own machinery spoilt, before we give up for now

Ranking = Callable[[Sequence[Match], Mapping[str, int], AbstractSet[str]], tuple[Standing, ...]]
"""A format's `standings` for one group: matches, failures per entry, the disqualified -> the
table."""


class Fixture(NamedTuple):
    """A game that is to be played: the pairing, which of its games, and the attempt at it; both
    from 1."""

    pairing: Pairing
    number: int
    attempt: int = 1

    @classmethod
    def of(cls, match: Match) -> Fixture:
        return cls(match.pairing, match.game, match.attempt)


def play_group(
    plan: GroupPlan,
    *,
    images: Mapping[str, str],
    seeds: Seeds,
    runner: Runner,
    protocols_for: AbstractSet[str],
    standings: Ranking,
    fault_rule: FaultRule,
    banned: AbstractSet[str] = frozenset(),
) -> GroupOutcome:
    """Play a group to its end, as if the `banned` had been disqualified before its first game.

    `images` maps the members to the digests of their images; games of the entries in
    `protocols_for` are recorded move by move; `standings` is
    `functools.partial(format.standings, plan, final)`. The matches are in the order of pairing,
    game and attempt, every attempt with its verdicts. Raises EngineFailed when our machinery spoils
    the same game again and again. Then nothing is lost: the group can be played again and gives the
    same.
    """
    played: list[Match] = []
    failed: Counter[str] = Counter()
    stands_anyway = fault_rule is not FaultRule.REPLAY

    def out() -> AbstractSet[str]:
        return banned if stands_anyway else banned | disqualified(failed)

    def carry_out_wave(wave: Sequence[Fixture]) -> None:
        jobs = [game_job(plan.round, fixture, images, seeds, protocols_for) for fixture in wave]
        results = carry_out(jobs, runner)
        fresh = [
            Match(f.pairing, f.attempt, result, stands_anyway or result.is_flawless, f.number)
            for f, result in zip(wave, results, strict=True)
        ]
        for slot in _by_slot(plan, fresh):
            gone = out()  # an earlier slot of the wave may have disqualified somebody
            carried_out = [match for match in slot if gone.isdisjoint(match.pairing.players)]
            failed.update(failures(carried_out))
            played.extend(carried_out)

    for wave in _first_waves(plan, fault_rule):
        gone = out()
        carry_out_wave([f for f in wave if gone.isdisjoint(f.pairing.players)])
    while wave := _next_wave(plan, played, out()):
        carry_out_wave(wave)
    gone = out() & set(plan.members)
    matches = sorted((_recounted(match, gone) for match in played), key=_order)
    return GroupOutcome(plan, tuple(matches), standings(matches, failed, gone))


def _first_waves(plan: GroupPlan, fault_rule: FaultRule) -> tuple[list[Fixture], list[Fixture]]:
    """Every game of the plan once: those of the opening, if there is one, and the others."""
    fixtures = [
        Fixture(pairing, number)
        for pairing in plan.pairings
        for number in range(1, pairing.games + 1)
    ]
    if fault_rule is not FaultRule.REPLAY:
        return [], fixtures
    slot_of = schedule(plan)
    waves: tuple[list[Fixture], list[Fixture]] = [], []
    for fixture in fixtures:
        waves[slot_of(fixture.pairing, fixture.number) >= OPENING_SLOTS].append(fixture)
    return waves


def _next_wave(plan: GroupPlan, played: Sequence[Match], out: AbstractSet[str]) -> list[Fixture]:
    """The games to play after these matches; empty when the group is finished."""
    repeated = {(m.pairing, m.game): m for m in played if not m.counted or m.attempt > 1}
    waiting = [match for match in repeated.values() if not match.counted]
    again = [
        Fixture(m.pairing, m.game, m.attempt + 1)
        for m in waiting
        if out.isdisjoint(m.pairing.players)
    ]
    undecided = {match.pairing for match in waiting}
    possible = [
        pairing
        for pairing in plan.pairings
        if pairing.most > pairing.games
        and pairing not in undecided
        and out.isdisjoint(pairing.players)
    ]
    return again + _tie_breaks(possible, played) if possible else again


def _tie_breaks(pairings: Sequence[Pairing], played: Sequence[Match]) -> list[Fixture]:
    """One more game for each of these pairings whose best are equal and that may have one."""
    matches: dict[Pairing, list[Match]] = {pairing: [] for pairing in pairings}
    for match in played:
        if match.counted and match.pairing in matches:
            matches[match.pairing].append(match)
    return [
        Fixture(pairing, len(counted) + 1)
        for pairing, counted in matches.items()
        if len(counted) < pairing.most and not _is_decided(pairing, counted)
    ]


def _is_decided(pairing: Pairing, played: Sequence[Match]) -> bool:
    points = sorted(half_points(pairing.players, played).values())
    return points[-1] > points[-2]


def schedule(plan: GroupPlan) -> Callable[[Pairing, int], int]:
    """The slot of each game of each pairing, from 0.

    Members i and j of n meet in slot (i + j) mod n: the circle method, in which everyone has one
    game in each slot, counting the self-game. Further games of the pairings follow in the same
    order.
    """
    seat = {name: index for index, name in enumerate(plan.members)}
    size = len(seat)
    return lambda pairing, game: (
        sum([seat[name] for name in pairing.players]) % size + (game - 1) * size
    )


def _by_slot(plan: GroupPlan, wave: Iterable[Match]) -> Iterator[list[Match]]:
    slot_of = schedule(plan)
    slots: defaultdict[int, list[Match]] = defaultdict(list)
    for match in wave:
        slots[slot_of(match.pairing, match.game)].append(match)
    for _, slot in sorted(slots.items()):
        yield slot


def game_job(
    round_number: int,
    fixture: Fixture,
    images: Mapping[str, str],
    seeds: Seeds,
    protocols_for: AbstractSet[str],
) -> GameJob:
    """The game as a runner takes it; each seat of each attempt at each game has a random stream of
    its own.

    The same arguments give the same job, so a protocol can be played again at any time (K74, K76).
    """
    pairing, number, attempt = fixture
    names = pairing.seating(number)
    title = f"round/{round_number}/game/{'/'.join(pairing.players)}/{number}/attempt/{attempt}/seat"
    return GameJob(
        images=tuple([images[name] for name in names]),
        streams=tuple([seeds.stream(f"{title}/{seat}") for seat in range(len(names))]),
        protocol=not protocols_for.isdisjoint(names),
        names=names,
    )


def carry_out(jobs: Sequence[GameJob], runner: Runner) -> list[GameResult]:
    """The results, in the order of the jobs, none of them INTERNAL.

    A game that our machinery spoilt is nobody's failure and no attempt: the same job is played
    again (K75). Raises EngineFailed when the same game is spoilt again and again.
    """
    results = list(runner(jobs)) if jobs else []
    for _ in range(MAX_REPLAYS):
        spoilt = [index for index, result in enumerate(results) if _is_spoilt(result)]
        if not spoilt:
            return results
        again = runner([jobs[index] for index in spoilt])
        for index, result in zip(spoilt, again, strict=True):
            results[index] = result
    if any(map(_is_spoilt, results)):
        raise EngineFailed(f"the engine spoilt the same game {MAX_REPLAYS + 1} times running")
    return results


def _is_spoilt(result: GameResult) -> bool:
    return any(seat.verdict is Verdict.INTERNAL for seat in result.seats)


def _order(match: Match) -> tuple[object, ...]:
    pairing = match.pairing
    return pairing.players, pairing.games, pairing.most, match.game, match.attempt


def _recounted(match: Match, out: AbstractSet[str]) -> Match:
    """The match, not counted if one of its players is out."""
    counts = match.counted and out.isdisjoint(match.pairing.players)
    return match if counts == match.counted else replace(match, counted=counts)
