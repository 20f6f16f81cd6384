"""What reports tell a team about the time and the memory of its program."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest import game_rows
from contest.model import Fault, SeatResult, SeatUsage, Verdict
from reports.used import used

MB = 1024 * 1024


def seat(*answer_ms, peak=0):
    return SeatResult(1, Verdict.OK, None, usage=SeatUsage(answer_ms, peak, 64 * MB))


def counted(*answer_fuel, peak=0):
    return SeatResult(1, Verdict.OK, None, usage=SeatUsage((), peak, 64 * MB, answer_fuel))


def test_the_longest_the_median_and_the_peak_are_those_of_all_games():
    told = used([seat(1, 2, 900, peak=3 * MB), seat(4, 5, peak=2 * MB)])
    assert told == (0.9, 0.004, 3 * MB, 64 * MB, "cpu")


def test_units_are_told_for_an_answer_and_for_a_game():
    told = used([counted(10, 20, 900, peak=3 * MB), counted(400, 600, peak=2 * MB), counted()])
    assert told == (900, 400, 1_000, 3 * MB, 64 * MB, "fuel")


@pytest.mark.parametrize("seats", [[], [SeatResult(1, Verdict.OK, None)], [seat()], [counted()]])
def test_who_was_never_asked_used_nothing_that_could_be_told(seats):
    assert used(seats) is None


usages = st.none() | st.builds(
    SeatUsage,
    st.lists(st.integers(0, 10**6), max_size=5).map(tuple),
    st.integers(0, 10**12),
    st.just(64 * MB),
    st.lists(st.integers(0, 10**12), max_size=5).map(tuple),
)
faults = st.none() | st.builds(Fault, st.integers(1, 99), st.text(), st.text())


@given(usages, faults)
def test_the_store_keeps_it(usage, fault):
    verdict = Verdict.CRASH if fault else Verdict.OK
    kept = SeatResult(1, verdict, fault, faults=1 if fault else 0, usage=usage)
    (read,) = game_rows.seats_of(json.loads(json.dumps([game_rows._kept(kept)])))
    assert (read, read.usage) == (kept, usage)
