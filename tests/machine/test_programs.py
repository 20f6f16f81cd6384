"""What C programs can do to the machine, and the sentences that their teams get."""

import re
from dataclasses import replace
from typing import Any

import pytest

from contest.games.knobeln import Rules
from contest.model import GameJob, Match, Pairing, Verdict
from reports.knobeln_protocol import GameProtocol, write
from sandbox.vm.image import CODE_BASE, MEMORY_SIZE
from tests.support.machine_programs import (
    EXAMPLE,
    FAULTS,
    assembled,
    compiled,
    game,
    stream,
    throwing,
)
from tests.support.throws import play_out
from tournament.runners.machine import MachineRunner

RULES = Rules(L=20)
PATIENT = throwing([100] * 20)


@pytest.mark.parametrize("name", FAULTS)
def test_what_a_program_does_wrong_is_its_own_failure_and_told_to_its_team(name: str) -> None:
    source, verdict, reason = FAULTS[name]
    bad = compiled(source)
    for result, seat in ((game(bad, PATIENT, RULES), 0), (game(PATIENT, bad, RULES), 1)):
        fault = result.seats[seat].fault
        assert re.fullmatch(reason, fault.reason), fault.reason
        assert (result.seats[seat].verdict, fault.turn) == (verdict, result.turns + 1)
        assert (result.seats[1 - seat].verdict, result.seats[1 - seat].points) == (Verdict.OK, 0)


COMPUTED = {  # X07, X19, K16, K19, K20: an expression and its value
    "log2 (12288)": 13,
    "log2 (1)": 0,
    "log2 (0)": 0,
    "log2 (-5)": 0,
    "log2 (2147483647)": 30,
    "next_random (5, 5)": 5,
    "next_random (12288, 12288)": 12288,
    "(next_random (-2147483647 - 1, 2147483647), 7)": 7,
    "one / zero": -1,
    "one % zero": 1,
    "(-2147483647 - one) / -one": -2147483648,
    "(-2147483647 - one) % -one": 0,
    "(int) (2.5 * (one + one))": 5,
    "sizeof (long) * 100 + sizeof (char *)": 404,
    "(-one >> 1)": -1,
    "(int) (1000000000000LL / (one + 999999999))": 1000,
    "(p = q = 0, count_points (6800, 3400, &p, &q), p * 100 + q)": 1200,
    "(p = q = 0, count_points (6801, 3400, &p, &q), p * 100 + q)": 11,
    "(p = q = 0, count_points (3, 3, &p, &q), p * 100 + q)": 0,
    "count_points (-2147483647 - one, 2147483647, &p, &q)": 1,
}


def test_expressions_have_the_values_of_a_32_bit_computer() -> None:
    throws = "".join(
        f"make_throw (({each}) == {value} ? 2 : 1);" for each, value in COMPUTED.items()
    )
    program = compiled(f"volatile int one = 1, zero = 0; int p, q; main() {{ {throws} }}")
    moves = game(program, throwing([1] * len(COMPUTED)), Rules(k=1, L=len(COMPUTED))).moves
    assert [each for each, (mine, _) in zip(COMPUTED, moves, strict=True) if mine != 2] == []


def test_a_reversed_range_of_random_numbers_is_swapped() -> None:
    program = compiled("main() { for (;;) { make_throw (next_random (9, 2)); } }")
    result = game(program, throwing([1] * 60), Rules(k=1, L=60))
    assert {first for first, _ in result.moves} == set(range(2, 10))


def test_a_program_may_end_or_throw_on_after_the_last_throw() -> None:
    ends = throwing([7] * 20)
    goes_on = compiled("main() { for (;;) make_throw (7); }")
    crashes = compiled("main() { int i; for (i = 0; i < 20; i++) make_throw (7); *(int *) 0 = 1; }")
    for program in (ends, goes_on, crashes):
        assert game(program, PATIENT, RULES).is_flawless


def test_a_program_sees_its_opponents_throw_of_the_same_turn_and_no_other() -> None:
    echo = compiled("main() { int last = 1; for (;;) last = make_throw (last); }")
    result = game(echo, throwing(range(10, 30)), RULES)
    assert result.moves == ((1, 10), *((n - 1, n) for n in range(11, 30)))


@pytest.mark.parametrize("highest", [1, 9, 10, 99, 100, 12_288, 2**30])
@pytest.mark.parametrize("count", [0, 1, 6, 7, 36, 37, 60])
def test_the_engine_writes_throws_as_they_stand_in_protocols(count: int, highest: int) -> None:
    numbers = [1 + n * (highest - 1) // 60 for n in range(1, 61)]
    result = game(
        throwing(numbers[:count]), throwing(numbers[60 - count :]), Rules(b=2**30, k=1, L=60)
    )
    read = tuple(zip(numbers[:count], numbers[60 - count :], strict=True))
    assert result.moves == read
    match = Match(Pairing(("one", "other")), 1, result, False)
    lists = replace(match, result=replace(result, moves=read))
    assert write([GameProtocol(1, 1, Rules(), match)]) == write(
        [GameProtocol(1, 1, Rules(), lists)]
    )


def test_the_limit_of_instructions_counts_for_each_seat_and_to_the_last_instruction() -> None:
    program = compiled("main() { for (;;) make_throw (7); }")
    needed = game(program, PATIENT, RULES).seats[0].instructions
    exact = game(program, program, RULES, max_instructions=needed)
    assert [seat.instructions for seat in exact.seats] == [needed, needed]
    assert exact.is_flawless
    short = game(program, program, RULES, max_instructions=needed - 1)
    assert [seat.verdict for seat in short.seats] == [Verdict.TIME, Verdict.TIME]
    assert short.seats[0].instructions == needed - 1
    assert short.turns == 19


def test_both_sides_of_a_self_game_have_their_own_memory_and_random_stream() -> None:
    example = compiled(EXAMPLE.read_text())
    assert any(first != second for first, second in game(example, example, Rules(L=100)).moves[:9])
    counting = compiled("int n; main() { for (;;) make_throw (++n); }")
    assert game(counting, counting, RULES).moves == tuple((n, n) for n in range(1, 21))


def test_no_game_leaves_anything_in_memory_for_the_next() -> None:
    scribbler = compiled(
        "int zero[300], data[300] = { 1, 2, 3 }; main() { int i, sum = 0; volatile char"
        " deep[900000];for (i = 0; i < 300; i++) { sum += zero[i] + data[i]; zero[i] = data[i] = 5;"
        " }for (i = 0; i < 900000; i += 500) { sum += deep[i]; deep[i] = 1; }for (;;) make_throw"
        " (sum); }"
    )
    reader = compiled(
        "main() { int i, sum = 1; volatile char deep[1040000];"
        "for (i = 0; i < 1040000; i += 100) sum += deep[i];"
        "for (;;) make_throw (sum); }"
    )
    keeper = compiled(
        f'char text[] = "{"x" * 20_000}"; main() {{ for (;;) make_throw (text[500]); }}'
    )
    images = {image.digest: image for image in (scribbler, reader, keeper)}
    pairs = [(scribbler, reader), (reader, scribbler), (keeper, scribbler), (reader, keeper)]
    pairs = [*pairs, (reader, reader)] * 2
    jobs = [GameJob((a.digest, b.digest), (stream("a"), stream("b")), True) for a, b in pairs]
    first_throw = {scribbler.digest: 6, reader.digest: 1, keeper.digest: ord("x")}
    for job, result in zip(jobs, MachineRunner(images, RULES, 10_000_000).play(jobs), strict=True):
        assert result.moves == ((first_throw[job.images[0]], first_throw[job.images[1]]),) * 20


def test_memory_in_use_is_static_data_and_the_pages_of_stack_that_were_written() -> None:
    small = compiled("main() { for (;;) make_throw (1); }")
    static = compiled("char big[500000]; main() { big[5] = 1; for (;;) make_throw (big[5]); }")
    deep = compiled(
        "main() { volatile char a[400000]; int i; for (i = 0; i < 400000; i++) a[i] = 1;"
        "for (;;) make_throw (1); }"
    )
    used = [
        game(program, PATIENT, RULES, 10_000_000).seats[0].memory
        for program in (small, static, deep)
    ]
    assert used[0] <= 8192
    assert 500_000 <= used[1] <= 509_000
    assert 400_000 <= used[2] <= 412_000


def test_the_example_of_1994_plays_by_the_rules_or_throws_0() -> None:
    example = compiled(EXAMPLE.read_text())
    images = {example.digest: example}
    jobs = [
        GameJob((example.digest,) * 2, (stream(f"{i}/0"), stream(f"{i}/1")), True)
        for i in range(60)
    ]
    results = MachineRunner(images, Rules(), 855_000_000, workers=2).play(jobs)
    for result in results:
        assert result.moves is not None
        played = play_out(Rules(), result.moves)
        assert (played.throws, played.why_illegal) == (result.turns, (None, None))
        if result.is_flawless:
            assert played.points == tuple(seat.points for seat in result.seats)
        else:
            reasons = [seat.fault.reason for seat in result.seats if seat.fault]
            assert all("was 0, but only 1..12288" in reason for reason in reasons)
    assert sum(result.is_flawless for result in results) > 50


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"entry": CODE_BASE + 4}, "entry"),
        ({"code": b"abc"}, "of code"),
        ({"static_size": 8}, "of data"),
        ({"data": b"x"}, "of data"),
        ({"static_size": MEMORY_SIZE}, "of data"),
    ],
)
def test_an_image_of_impossible_sizes_cannot_be_made(wrong: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        replace(assembled([0x73]), **wrong)
