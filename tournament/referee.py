"""The referee: carries out the games of a group under the rule of failures (K70-K76). Pure but for the arena.

Every game has its slot in a fixed schedule, in which everyone plays one game per slot. A second failure in
the round disqualifies: from the next slot on no game of the disqualified is carried out, and none that was is
counted. The failures of others in games that were carried out stay charged (K75).

To use all workers, games are played in waves of many slots. What a wave brings is then taken in the order of
the slots, and a game that would not have been carried out is forgotten: so no result depends on how many
workers there are, or which was quick. Which games a wave has follows from what has been played and from
nothing else:

1. the opening: the first slots. A program that does not work at all is out after these, and the others do not
   wait for its 40 time-outs;
2. all other games;
3. games that failed, again with new random streams (K74), until none is left.

It ends: every wave after the second repeats only games that failed between two who remain, each such game
charged somebody his first failure, and nobody has two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import groupby

from knobeln.clock import Seeds
from knobeln.errors import EngineFailed
from knobeln.model import GameJob, GameResult, GroupOutcome, GroupPlan, Match, Pairing, Standing, Verdict
from knobeln.ports import Arena
from tournament.standings import disqualified, failures

OPENING_SLOTS = 2  # as many as it takes to be disqualified
REPLAYS = 3  # of a game that our own machinery spoilt, before we give up for now

Game = tuple[Pairing, int]  # a pairing and the attempt, from 1
Ranking = Callable[[Sequence[Match], Mapping[str, int], AbstractSet[str]], tuple[Standing, ...]]
"""A format's `standings` for one group: matches, failures per entry, the disqualified -> the table."""


def play_group(
    plan: GroupPlan,
    *,
    images: Mapping[str, str],
    seeds: Seeds,
    arena: Arena,
    protocols_for: AbstractSet[str],
    standings: Ranking,
) -> GroupOutcome:
    """Play a group to its end.

    `images` maps the members to the digests of their images; games of the entries in `protocols_for` are
    recorded throw by throw; `standings` is `functools.partial(format.standings, plan, final)`.
    The matches stand in the order of pairing and attempt, every attempt with its verdicts.
    Raises EngineFailed when our machinery spoils the same game again and again: nothing is lost, the group
    can be played again and gives the same.
    """
    played: list[Match] = []
    while wave := next_wave(plan, played):
        jobs = [game_job(plan.round, game, images, seeds, protocols_for) for game in wave]
        played += _carried_out(plan, played, map(_match, wave, carry_out(jobs, arena)))
    failed = failures(played)
    out = disqualified(failed)
    matches = sorted((_judged(match, out) for match in played), key=lambda m: (m.pairing, m.attempt))
    return GroupOutcome(plan, tuple(matches), standings(matches, failed, out))


def next_wave(plan: GroupPlan, played: Sequence[Match]) -> list[Game]:
    """The games to carry out after these matches; empty when the group is finished."""
    out = disqualified(failures(played))
    last = {match.pairing: match for match in played}
    possible = [pairing for pairing in plan.pairings if not _players(pairing) & out]
    fresh = [(pairing, 1) for pairing in possible if pairing not in last]
    failed = [(p, last[p].attempt + 1) for p in possible if p in last and not last[p].result.complete]
    opening = [] if played else _opening(plan, fresh)
    return opening or fresh or failed


def _opening(plan: GroupPlan, games: Sequence[Game]) -> list[Game]:
    """The games of the first slots."""
    slots = _slots(plan)
    return [game for game in games if slots[game[0]] < OPENING_SLOTS]


def _slots(plan: GroupPlan) -> Mapping[Pairing, int]:
    """When each pairing has its turn, from 0.

    Members i and j of n meet in slot (i + j) mod n: the circle method, in which everyone has one game in each
    slot, the self-game among them.
    """
    seat = {name: index for index, name in enumerate(plan.members)}
    return {p: (seat[p.first] + seat[p.second]) % len(seat) for p in plan.pairings}


def _carried_out(plan: GroupPlan, played: Sequence[Match], wave: Iterable[Match]) -> Iterator[Match]:
    """The matches of a wave slot by slot, without those of players whom an earlier slot disqualified."""
    slots = _slots(plan)
    failed = failures(played)
    ordered = sorted(wave, key=lambda match: slots[match.pairing])
    for _, slot in groupby(ordered, key=lambda match: slots[match.pairing]):
        out = disqualified(failed)
        fresh = [match for match in slot if not _players(match.pairing) & out]
        failed.update(failures(fresh))
        yield from fresh


def game_job(
    round_number: int, game: Game, images: Mapping[str, str], seeds: Seeds, protocols_for: AbstractSet[str]
) -> GameJob:
    """The game as the arena takes it: seat 0 is the pairing's first; seats and attempts have own streams.

    The same arguments give the same job, so a protocol can be played again at any time (K74, K76).
    """
    pairing, attempt = game
    name = f"round/{round_number}/game/{pairing.first}/{pairing.second}/attempt/{attempt}/seat"
    return GameJob(
        images=(images[pairing.first], images[pairing.second]),
        streams=(seeds.stream(f"{name}/0"), seeds.stream(f"{name}/1")),
        protocol=bool(_players(pairing) & protocols_for),
    )


def carry_out(jobs: Sequence[GameJob], arena: Arena) -> list[GameResult]:
    """The results, in the order of the jobs, without any INTERNAL.

    A game that our machinery spoilt is nobody's failure and no attempt: the same job is played again (K75).
    """
    results = list(arena.play(jobs))
    for _ in range(REPLAYS):
        spoilt = [index for index, result in enumerate(results) if _is_spoilt(result)]
        if not spoilt:
            return results
        again = arena.play([jobs[index] for index in spoilt])
        for index, result in zip(spoilt, again, strict=True):
            results[index] = result
    if any(map(_is_spoilt, results)):
        raise EngineFailed(f"the engine spoilt the same game {REPLAYS + 1} times running")
    return results


def _is_spoilt(result: GameResult) -> bool:
    return any(seat.verdict is Verdict.INTERNAL for seat in result.seats)


def _match(game: Game, result: GameResult) -> Match:
    pairing, attempt = game
    return Match(pairing, attempt, result, counted=result.complete)


def _judged(match: Match, out: AbstractSet[str]) -> Match:
    return replace(match, counted=match.counted and not _players(match.pairing) & out)


def _players(pairing: Pairing) -> AbstractSet[str]:
    return {pairing.first, pairing.second}
