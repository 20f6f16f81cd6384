"""The bracket: who meets whom, who is out when, and how a match is decided (U9 to U12)."""

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.formats.bracket import Side
from contest.formats.double_elimination import BYE, DoubleElimination
from contest.games.game import FaultRule
from contest.games.registry import game
from contest.model import (
    Fault,
    GameJob,
    GameResult,
    GroupOutcome,
    GroupPlan,
    Match,
    RoundOutcome,
    SeatResult,
    Standing,
    Verdict,
)
from contest.schema.sections import Tournament
from contest.seeds import Seeds
from tournament.referee import play_group

RULES = Tournament(format="double-elimination", games=3, self_play=False)
UTTT = game("ultimate-tic-tac-toe").info
FORMAT = DoubleElimination(RULES, UTTT)


@dataclass
class Runner:
    """Plays by the points that it is told for each program, which go by the names of the
    entries."""

    points: Callable[[str, str], SeatResult]

    def __call__(self, jobs: Sequence[GameJob]) -> list[GameResult]:
        pairs = [job.names for job in jobs]
        return [GameResult((self.points(a, b), self.points(b, a)), 9, "0" * 16) for a, b in pairs]


def strongest(name: str, _other: str) -> SeatResult:
    return SeatResult(int(name[1:]), Verdict.OK, None)


def play(
    entries: Sequence[str],
    seed: int = 0,
    points: Callable[[str, str], SeatResult] = strongest,
    tournament_format: DoubleElimination = FORMAT,
    fault_rule: FaultRule = FaultRule.RANDOM_MOVE,
) -> list[RoundOutcome]:
    seeds = Seeds(seed.to_bytes(32, "big"))
    history: list[RoundOutcome] = []
    while plan := tournament_format.plan(entries, history, seeds):
        groups = tuple(
            play_group(
                group,
                images={name: name for name in entries},
                seeds=seeds,
                runner=Runner(points),
                protocols_for=frozenset(),
                standings=lambda *facts, group=group: tournament_format.standings(
                    group, False, *facts
                ),
                fault_rule=fault_rule,
            )
            for group in plan.groups
        )
        history.append(RoundOutcome(plan, groups))
    return history


def names(count: int) -> list[str]:
    return [f"t{number:03}" for number in range(count)]


def losses(history: Sequence[RoundOutcome]) -> Counter[str]:
    lost = Counter[str]()
    for outcome in history:
        for group in outcome.groups:
            lost.update(line.entry for line in group.standings[1:])
    return lost


@pytest.mark.slow
@given(st.integers(2, 70), st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_nobody_loses_twice_and_plays_on_and_all_but_the_champion_lose_twice(
    count, seed, chance
) -> None:
    form = {name: chance.random() for name in names(count)}

    def moody(name: str, other: str) -> SeatResult:
        beats = chance.random() < form[name] / (form[name] + form[other] + 1e-9)
        return SeatResult(100 * beats, Verdict.OK, None)

    history = play(names(count), seed, moody)
    lost = Counter[str]()
    for outcome in history:
        for group in outcome.groups:
            assert all(lost[name] < 2 for name in group.plan.members)
            on_losers_side = group.plan.title == Side.LOSERS
            assert all(
                lost[name] == (1 if on_losers_side else 0) for name in group.plan.members
            ) or (group.plan.title in (Side.FINAL, Side.SECOND_FINAL))
            lost.update(line.entry for line in group.standings[1:])
    ranking = FORMAT.ranking(history)
    champion = ranking[0].entry
    assert lost[champion] <= 1
    assert all(lost[name] == 2 for name in names(count) if name != champion)
    assert sorted(line.entry for line in ranking) == names(count)
    # So many matches it takes that everybody else loses twice.
    played = sum(len(group.plan.pairings) for outcome in history for group in outcome.groups)
    assert played == 2 * (count - 1) + lost[champion]


@pytest.mark.parametrize("count", [2, 3, 5, 12, 16, 33, 41])
def test_byes_are_in_the_first_round_only_and_as_many_as_places_are_empty(count: int) -> None:
    history = play(names(count))
    places = 1 << (count - 1).bit_length()
    byes = [[g.plan for g in o.groups if not g.plan.pairings] for o in history]
    assert len(byes[0]) == places - count
    assert not any(byes[1:])
    assert {plan.title for plan in byes[0]} <= {BYE}
    # Who had a bye, or won, is in the second round of the winners' side.
    survivors = {g.standings[0].entry for g in history[0].groups}
    second = {n for g in history[1].groups if g.plan.title != Side.LOSERS for n in g.plan.members}
    assert survivors <= second


def test_who_was_out_in_the_same_round_shares_a_rank() -> None:
    ranks = [line.rank for line in FORMAT.ranking(play(names(16)))]
    assert ranks == [1, 2, 3, 4, 5, 5, 7, 7, 9, 9, 9, 9, 13, 13, 13, 13]


def test_matches_are_of_three_games_third_place_of_five_the_final_of_seven() -> None:
    games = {
        (g.plan.title, o.plan.number): len(g.matches) for o in play(names(8)) for g in o.groups
    }
    *before, third, final = games.items()
    assert {count for _, count in before} == {3}
    assert third[0][0] == Side.LOSERS
    assert third[1] == 5
    assert final[0][0] == Side.FINAL
    assert final[1] == 7


def test_if_the_losers_sides_champion_wins_the_final_it_is_played_again() -> None:
    def upset(name: str, other: str) -> SeatResult:
        """t001 beats everybody but in their first meeting t000, who loses to nobody else before."""
        return SeatResult({"t000": 2, "t001": 3}.get(name, 1), Verdict.OK, None)

    for seed in range(50):
        history = play(names(4), seed, upset)
        assert losses(history)["t001"] == 0
    final = history[-1].groups[0].plan
    one, other = final.members
    table = FORMAT.standings(final, False, _won_by(final, other), {}, frozenset())
    assert table == (Standing(other, 14, 1, 0, False, True), Standing(one, 0, 2, 0, False, True))
    lost = GroupOutcome(final, _won_by(final, other), table)
    turned = [*history[:-1], RoundOutcome(history[-1].plan, (lost,))]
    again = FORMAT.plan(names(4), turned, Seeds((49).to_bytes(32, "big")))
    (second,) = again.groups
    assert second.title == Side.SECOND_FINAL
    assert set(second.members) == set(final.members)
    table = FORMAT.standings(second, False, _won_by(second, other), {}, frozenset())
    turned.append(RoundOutcome(again, (GroupOutcome(second, _won_by(second, other), table),)))
    assert FORMAT.plan(names(4), turned, Seeds((49).to_bytes(32, "big"))) is None
    assert [line.entry for line in FORMAT.ranking(turned)][:2] == [other, one]


def _won_by(plan: GroupPlan, winner: str) -> tuple[Match, ...]:
    (pairing,) = plan.pairings
    matches = []
    for number in range(1, pairing.games + 1):
        seats = tuple(
            SeatResult(int(n == winner), Verdict.OK, None) for n in pairing.seating(number)
        )
        matches.append(Match(pairing, 1, GameResult(seats, 9, "0" * 16), counted=True, game=number))
    return tuple(matches)


def test_a_tie_is_played_on_to_the_limit_then_faults_decide_then_the_draw() -> None:
    def equal(name: str, _other: str) -> SeatResult:
        return SeatResult(1, Verdict.OK, None)

    (first, *_) = play(names(2), 3, equal)
    (group,) = first.groups
    assert len(group.matches) == 9
    assert group.standings[0].entry == group.plan.pairings[0].players[0]
    assert [line.half_points for line in group.standings] == [18, 18]

    def careless(name: str, _other: str) -> SeatResult:
        if name != "t000":
            return SeatResult(1, Verdict.OK, None)
        return SeatResult(1, Verdict.CRASH, Fault(1, "it crashed"), faults=1)

    for seed in range(10):
        assert play(names(2), seed, careless)[0].groups[0].standings[0].entry == "t001"


def test_the_first_move_is_drawn_and_then_changes_from_game_to_game() -> None:
    firsts = Counter[str]()
    for seed in range(100):
        matches = play(names(2), seed)[0].groups[0].matches
        seats = matches[0].players
        assert [m.players for m in matches] == [seats, seats[::-1], seats]
        firsts[matches[0].players[0]] += 1
    assert min(firsts.values()) > 30


def test_the_rounds_of_finished_contests_stay_as_they_were_drawn() -> None:
    """Archives depend on them: the digest was made before brackets were planned in linear time."""
    digest = hashlib.sha256()
    for count in (1, 2, 3, 5, 8, 13, 41):
        for seed in range(6):
            chance = random.Random(100 * count + seed)  # noqa: S311 - games by known rules

            def moody(
                _: str, __: str, chance: random.Random = chance, rate: float = seed / 50
            ) -> SeatResult:
                if chance.random() < rate:
                    return SeatResult(0, Verdict.CRASH, Fault(1, "it crashed"), faults=1)
                return SeatResult(chance.randrange(100), Verdict.OK, None)

            for outcome in play(names(count), seed, moody, fault_rule=FaultRule.REPLAY):
                digest.update(repr(outcome.plan).encode())
    assert digest.hexdigest() == "0a095a766e736eb6469c9c04a7f24a6c342464b78344fb9611b5a9c5ae2edbdf"


def test_the_losers_of_a_round_do_not_meet_at_once_whom_they_have_just_met() -> None:
    for seed in range(20):
        met: set[frozenset[str]] = set()
        for outcome in play(names(16), seed)[:4]:
            now = {frozenset(g.plan.members) for g in outcome.groups if g.plan.pairings}
            assert not now & met
            met |= now
