"""The referee: carries out the games of a group under the game's rule of failures. Pure but for the arena.

Under the ruling REPLAY (K70-K76) a game with a failure is discarded and played again, and a second failure in
the round disqualifies; under every other ruling a game that was played stands, because the rules of the game
have already dealt with its faults.

Every game has its slot in a fixed schedule, in which everyone plays one game per slot. From the slot after
a second failure on no game of the disqualified is carried out, and none that was is counted. The failures of
others in games that were carried out stay charged (K75).

To use all workers, games are played in waves of many slots. What a wave brings is then taken in the order of
the slots, and a game that would not have been carried out is forgotten: so no result depends on how many
workers there are, or which was quick. Which games a wave has follows from what has been played and from
nothing else:

1. the opening: the first slots, where failures disqualify. A program that does not work at all is out after
   these, and the others do not wait for its 40 time-outs;
2. all other games;
3. games that failed, again with new random streams (K74), and one more game for each pairing in which the
   best are equal, as long as it may have one (U11); until none is left.

It ends: every wave after the second repeats only games that failed between two who remain, each such game
charged somebody his first failure, and nobody has two; and no pairing has more games than it may.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from contest.errors import EngineFailed
from contest.games.base import FaultRule
from contest.model import GameJob, GameResult, GroupOutcome, GroupPlan, Match, Pairing, Standing, Verdict
from contest.protocols import Runner
from contest.seeds import Seeds
from contest.standings import disqualified, failures, half_points

OPENING_SLOTS = 2  # as many as it takes to be disqualified
REPLAYS = 3  # of a game that our own machinery spoilt, before we give up for now

Game = tuple[Pairing, int, int]  # a pairing, which of its games, the attempt; both from 1
Ranking = Callable[[Sequence[Match], Mapping[str, int], AbstractSet[str]], tuple[Standing, ...]]
"""A format's `standings` for one group: matches, failures per entry, the disqualified -> the table."""


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
    """Play a group to its end; as if the `banned` had been disqualified before its first game.

    `images` maps the members to the digests of their images; games of the entries in `protocols_for` are
    recorded move by move; `standings` is `functools.partial(format.standings, plan, final)`.
    The matches stand in the order of pairing, game and attempt, every attempt with its verdicts.
    Raises EngineFailed when our machinery spoils the same game again and again: nothing is lost, the group
    can be played again and gives the same.
    """
    played: list[Match] = []
    failed: Counter[str] = Counter()

    def carry_out_wave(wave: Sequence[Game]) -> None:
        jobs = [game_job(plan.round, game, images, seeds, protocols_for) for game in wave]
        results = carry_out(jobs, runner) if jobs else []
        fresh = [_match(game, result, fault_rule) for game, result in zip(wave, results, strict=True)]
        played.extend(_carried_out(plan, failed, fresh, fault_rule))

    for wave in _first_waves(plan, fault_rule):
        out = _out(failed, fault_rule) | banned
        carry_out_wave([game for game in wave if out.isdisjoint(game[0].players)])
    while wave := _next_wave(plan, played, _out(failed, fault_rule) | banned):
        carry_out_wave(wave)
    out = _out(failed, fault_rule) | banned & set(plan.members)
    matches = sorted((_judged(m, out) for m in played), key=_place)
    return GroupOutcome(plan, tuple(matches), standings(matches, failed, out))


def _first_waves(plan: GroupPlan, fault_rule: FaultRule) -> tuple[list[Game], list[Game]]:
    """Every game of the plan once: those of the opening, where there is one, and the others."""
    games = [(pairing, game, 1) for pairing in plan.pairings for game in range(1, pairing.games + 1)]
    if fault_rule is not FaultRule.REPLAY:
        return [], games
    slot = _schedule(plan)
    slots = [slot(pairing, game) for pairing, game, _ in games]
    opening = [game for game, its in zip(games, slots, strict=True) if its < OPENING_SLOTS]
    return opening, [game for game, its in zip(games, slots, strict=True) if its >= OPENING_SLOTS]


def _next_wave(plan: GroupPlan, played: Sequence[Match], out: AbstractSet[str]) -> list[Game]:
    """What is to be played beyond that, after these matches; empty when the group is finished."""
    repeated = {(m.pairing, m.game): m for m in played if not m.counted or m.attempt > 1}
    waiting = [match for match in repeated.values() if not match.counted]
    again = [(m.pairing, m.game, m.attempt + 1) for m in waiting if out.isdisjoint(m.pairing.players)]
    undecided = {match.pairing for match in waiting}
    possible = [
        pairing
        for pairing in plan.pairings
        if pairing.most > pairing.games and pairing not in undecided and out.isdisjoint(pairing.players)
    ]
    return again + _further(possible, played) if possible else again


def _further(pairings: Sequence[Pairing], played: Sequence[Match]) -> list[Game]:
    """One more game of each of these pairings that is undecided and may have one; all their games stand."""
    games: dict[Pairing, list[Match]] = {pairing: [] for pairing in pairings}
    for match in played:
        if match.counted and match.pairing in games:
            games[match.pairing].append(match)
    return [
        (pairing, len(of_it) + 1, 1)
        for pairing, of_it in games.items()
        if len(of_it) < pairing.most and not _is_decided(pairing, of_it)
    ]


def _is_decided(pairing: Pairing, played: Sequence[Match]) -> bool:
    points = sorted(half_points(pairing.players, played).values())
    return points[-1] > points[-2]


def _schedule(plan: GroupPlan) -> Callable[[Pairing, int], int]:
    """When each game of each pairing has its turn, from 0.

    Members i and j of n meet in slot (i + j) mod n: the circle method, in which everyone has one game in each
    slot, the self-game among them. Further games of the pairings follow in the same order.
    """
    seat = {name: index for index, name in enumerate(plan.members)}
    size = len(seat)
    return lambda pairing, game: sum([seat[name] for name in pairing.players]) % size + (game - 1) * size


def _carried_out(
    plan: GroupPlan, failed: Counter[str], wave: Iterable[Match], fault_rule: FaultRule
) -> Iterator[Match]:
    """The matches of a wave slot by slot, without those of players whom an earlier slot disqualified.

    `failed`, the failures so far, grows with them.
    """
    slot_of = _schedule(plan)
    slots: defaultdict[int, list[Match]] = defaultdict(list)
    for match in wave:
        slots[slot_of(match.pairing, match.game)].append(match)
    for _, slot in sorted(slots.items()):
        out = _out(failed, fault_rule)
        fresh = [match for match in slot if out.isdisjoint(match.pairing.players)]
        failed.update(failures(fresh))
        yield from fresh


def game_job(
    round_number: int, game: Game, images: Mapping[str, str], seeds: Seeds, protocols_for: AbstractSet[str]
) -> GameJob:
    """The game as the arena takes it; seats, games and attempts have random streams of their own.

    The same arguments give the same job, so a protocol can be played again at any time (K74, K76).
    """
    pairing, number, attempt = game
    names = pairing.seating(number)
    title = f"round/{round_number}/game/{'/'.join(pairing.players)}/{number}/attempt/{attempt}/seat"
    return GameJob(
        images=tuple([images[name] for name in names]),
        streams=tuple([seeds.stream(f"{title}/{seat}") for seat in range(len(names))]),
        protocol=not protocols_for.isdisjoint(names),
        names=names,
    )


def carry_out(jobs: Sequence[GameJob], runner: Runner) -> list[GameResult]:
    """The results, in the order of the jobs, without any INTERNAL.

    A game that our machinery spoilt is nobody's failure and no attempt: the same job is played again (K75).
    """
    results = list(runner.play(jobs))
    for _ in range(REPLAYS):
        spoilt = [index for index, result in enumerate(results) if _is_spoilt(result)]
        if not spoilt:
            return results
        again = runner.play([jobs[index] for index in spoilt])
        for index, result in zip(spoilt, again, strict=True):
            results[index] = result
    if any(map(_is_spoilt, results)):
        raise EngineFailed(f"the engine spoilt the same game {REPLAYS + 1} times running")
    return results


def _is_spoilt(result: GameResult) -> bool:
    return any(seat.verdict is Verdict.INTERNAL for seat in result.seats)


def _match(game: Game, result: GameResult, fault_rule: FaultRule) -> Match:
    pairing, number, attempt = game
    stands = fault_rule is not FaultRule.REPLAY or result.is_flawless
    return Match(pairing, attempt, result, stands, number)


def _place(match: Match) -> tuple[object, ...]:
    pairing = match.pairing
    return pairing.players, pairing.games, pairing.most, match.game, match.attempt


def _judged(match: Match, out: AbstractSet[str]) -> Match:
    counts = match.counted and out.isdisjoint(match.pairing.players)
    return match if counts == match.counted else replace(match, counted=counts)


def _out(failed: Mapping[str, int], fault_rule: FaultRule) -> AbstractSet[str]:
    return disqualified(failed) if fault_rule is FaultRule.REPLAY else frozenset()
