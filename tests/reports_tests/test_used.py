"""What reports tell a team about the time and the memory of its program."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.model import (
    Fault,
    GameResult,
    GroupOutcome,
    GroupPlan,
    Match,
    Missing,
    Pairing,
    SeatResult,
    SeatUsage,
    Verdict,
)
from contest.model.as_json import game_rows, match_of
from reports.used import Used, UsedFuel, used

MB = 1024 * 1024


def seat(*answer_ms, peak=0):
    return SeatResult(1, Verdict.OK, None, usage=SeatUsage(answer_ms, peak, 64 * MB))


def counted(*answer_fuel, peak=0):
    return SeatResult(1, Verdict.OK, None, usage=SeatUsage((), peak, 64 * MB, answer_fuel))


def test_times_units_and_the_peak_are_those_of_all_games():
    told = used([seat(1, 2, 900, peak=3 * MB), seat(4, 5, peak=2 * MB)])
    assert told == Used(0.9, 0.004, 3 * MB, 64 * MB)
    told = used([counted(10, 20, 900, peak=3 * MB), counted(400, 600, peak=2 * MB), counted()])
    assert told == UsedFuel(900, 400, 1_000, 3 * MB, 64 * MB)


@pytest.mark.parametrize("seats", [[], [SeatResult(1, Verdict.OK, None)], [seat()], [counted()]])
def test_who_was_never_asked_used_nothing_that_could_be_told(seats: list[SeatResult]) -> None:
    assert used(seats) is None


usages = st.none() | st.builds(
    SeatUsage,
    st.lists(st.integers(0, 10**6), max_size=5).map(tuple),
    st.integers(0, 10**12),
    st.just(64 * MB),
    st.lists(st.integers(0, 10**12), max_size=5).map(tuple),
)
faults = st.none() | st.builds(Fault, st.integers(1, 99), st.text(), st.text())


moves = st.none() | st.lists(
    st.tuples(st.none() | st.integers() | st.text(), st.builds(Missing, st.text(), st.text())),
    max_size=3,
).map(tuple)


@given(usages, faults, moves)
def test_the_store_keeps_a_game(usage, fault, moves):
    verdict = Verdict.CRASH if fault else Verdict.OK
    own = SeatResult(1, verdict, fault, faults=1 if fault else 0, usage=usage)
    pairing = Pairing(("one", "other"))
    result = GameResult((own, SeatResult(2, Verdict.OK, None, 3, 4)), 5, "6" * 16, moves)
    match = Match(pairing, 2, result, counted=not fault)
    plan = GroupPlan(1, 1, pairing.players, (pairing,))
    (row,) = game_rows(GroupOutcome(plan, (match,), ()), keep_moves=True)
    read = match_of(row, pairing)
    assert (read, read.result.seats[0].usage) == (match, usage)
    (row,) = game_rows(GroupOutcome(plan, (match,), ()), keep_moves=False)
    assert match_of(row, pairing) == replace(match, result=replace(result, moves=None))
