"""Hog: the engine's win rates beside the recursion with fractions, beside games with dice, and by
hand."""

import math
import random
import struct
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.errors import EngineFailed
from contest.games.hog import (
    MAX_DICE,
    SCORES,
    HogEntry,
)
from contest.games.hog import win_rate as win_rate_by_recursion
from contest.subprocesses import hog_solver
from contest.subprocesses.c_programs import c_compiler, c_program
from contest.subprocesses.hog_solver import win_rates
from tests.support.hog_ranking import all_pairs
from tests.support.hog_win_rate import win_rate

PLACES = SCORES * SCORES


def always(dice: int, goal: int) -> HogEntry:
    return HogEntry(bytes([dice]) * PLACES, goal)


def at_own_score(dice: dict[int, int], goal: int) -> HogEntry:
    """Looks at its own score only; 0 dice where nothing is said."""
    rows = (bytes([dice.get(own, 0)]) * SCORES for own in range(SCORES))
    return HogEntry(b"".join(rows), goal)


def lots(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - repeatable, no secret


def anything(seed: int, goal: int, dice: range = range(MAX_DICE + 1)) -> HogEntry:
    return HogEntry(bytes(lots(seed).choices(dice, k=PLACES)), goal)


def rate(first: HogEntry, second: HogEntry) -> float:
    return win_rates([first, second], [(0, 1)])[0]


# Worked out on paper. Chances are those of the first; the two halves: it begins, the other begins.
BY_HAND = {
    "one point wins at once": (always(4, 1), always(10, 1), Fraction(1, 2)),
    "a 1 after a 1 is doubled to 2": (
        always(1, 2),
        always(2, 2),
        (Fraction(5, 6) + Fraction(11, 36)) / 2,
    ),
    "7, and in the extra turn 14": (always(0, 14), always(0, 4), Fraction(1, 2)),
    "7 and 14 are not yet 15": (always(0, 15), always(0, 4), Fraction(0)),
    "no extra turn follows an extra turn": (at_own_score({7: 1}, 9), always(0, 4), Fraction(5, 12)),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_what_can_be_worked_out_by_hand_comes_out(name: str) -> None:
    first, second, expected = BY_HAND[name]
    assert win_rate(first, second, Fraction) == expected
    assert rate(first, second) == pytest.approx(float(expected), abs=1e-14)


GOALS = st.integers(1, 14)


@pytest.mark.slow
@given(st.integers(0, 10**9), GOALS, GOALS, st.integers(0, 8), st.integers(0, 8))
def test_the_engine_comes_to_the_same_as_fractions(seed, goal, other, fewest, width) -> None:
    dice = range(fewest, min(fewest + width, MAX_DICE) + 1)
    entries = [anything(seed, goal, dice), anything(seed + 1, other)]
    exact = win_rate(entries[0], entries[1], Fraction)
    there, back = win_rates(entries, [(0, 1), (1, 0)])
    assert there == pytest.approx(float(exact), abs=1e-14)
    assert there + back == pytest.approx(1, abs=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize(("goal", "other"), [(300, 300), (299, 280), (131, 131)])
def test_the_engine_comes_to_the_same_at_the_highest_goals(goal: int, other: int) -> None:
    # Seldom any dice: so few scores are reached that the plain recursion can follow.
    first, second = (mostly_sure(seed, each) for seed, each in ((5, goal), (6, other)))
    expected = win_rate_by_recursion(first, second)
    assert 0.001 < expected < 0.999
    assert rate(first, second) == pytest.approx(expected, abs=1e-13)


def mostly_sure(seed: int, goal: int) -> HogEntry:
    """No dice but at a few scores and in the first turn."""
    table = bytearray(lots(seed).choices([0, 1, 3, 7], [400, 1, 1, 1], k=PLACES))
    table[0] = 5
    return HogEntry(bytes(table), goal)


@pytest.mark.parametrize("goal", [1, 2, 50, 120, 131, 300])
def test_nobody_has_an_advantage_over_itself(goal: int) -> None:
    for entry in (always(4, goal), always(0, goal), anything(9, goal)):
        assert rate(entry, entry) == 0.5


# --- the machinery ---
def test_the_number_of_workers_changes_nothing() -> None:
    entries = [anything(seed, 20 + seed) for seed in range(7)]
    alone = win_rates(entries, all_pairs(7), workers=1)
    assert win_rates(entries, all_pairs(7), workers=2) == alone
    assert win_rates(entries, all_pairs(7), workers=0) == alone
    assert win_rates(entries, all_pairs(7)[::-1], workers=3) == alone[::-1]


@pytest.mark.parametrize("lanes", [pytest.param(2, marks=pytest.mark.slow), 4, 8])
@pytest.mark.parametrize("flags", [("-mavx2", "-mfma", "-O3")], ids=" ".join)
def test_every_processor_comes_to_the_same_bits(
    flags: tuple[str, ...], lanes: int, tmp_path: Path
) -> None:
    facts = Path("/proc/cpuinfo").read_text()
    needed = {"avx2"} if "-mfma" in flags else set()
    needed |= {4: {"avx2"}, 8: {"avx512f"}}.get(lanes, set())
    if not all(feature in facts for feature in needed):
        pytest.skip("this processor has no such vectors")
    chosen = (*hog_solver.FLAGS, f"-DMAX_LANES={lanes}", *flags)
    plain = c_program(hog_solver.SOURCES, chosen, tmp_path)
    entries = {number: anything(number, 40 + 9 * number) for number in range(4)}
    order = hog_solver.to_bytes(entries, all_pairs(4))
    assert _answer(plain, order) == _answer(hog_solver.solver_binary(), order)


def _answer(program: Path, order: bytes) -> bytes:
    return subprocess.run([program], input=order, capture_output=True, check=True).stdout


GOOD = hog_solver.to_bytes({0: always(4, 2), 1: always(5, 3)}, [(0, 1)])


def _with_number(at: int, number: int) -> bytes:
    return GOOD[:at] + struct.pack("<I", number) + GOOD[at + 4 :]


@pytest.mark.parametrize(
    ("order", "sentence"),
    [
        (GOOD[:3], "ends too early"),
        (GOOD[:-1], "ends too early"),
        (_with_number(0, 7), "not a request"),
        (_with_number(4, 2**32 - 1), "too large"),
        (_with_number(8, 2**32 - 1), "too large"),
        (_with_number(12, 0), "goal is impossible"),
        (_with_number(12, 301), "goal is impossible"),
        (_with_number(16, 0x0B000000), "too many dice"),
        (_with_number(len(GOOD) - 4, 2), "strategy that is not there"),
    ],
)
def test_a_malformed_order_is_refused_with_a_sentence(order: bytes, sentence: str) -> None:
    done = subprocess.run(
        [hog_solver.solver_binary()], input=order, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert sentence in done.stderr.decode()


@pytest.mark.parametrize(
    "raw", [b"", struct.pack("<d", 1.5), struct.pack("<d", math.nan), bytes(16)]
)
def test_an_answer_that_cannot_be_true_is_not_believed(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"bytes for 1 pairs|outside 0\.\.1"):
        hog_solver.rates_in(1, raw)


def test_an_engine_that_always_fails_is_our_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hog_solver, "solver_binary", lambda: tmp_path / "nowhere")
    with pytest.raises(EngineFailed, match="No such file"):
        win_rates([always(4, 50)], [(0, 0)])


def test_the_solvers_sources_compile_without_a_warning(tmp_path: Path) -> None:
    sources = sorted(hog_solver.SOURCES.glob("*.c"))
    command = [c_compiler(), *hog_solver.FLAGS, "-Wall", "-Wextra", "-Werror", "-o"]
    done = subprocess.run(
        [*command, tmp_path / "engine", *sources], capture_output=True, check=False
    )
    assert done.stderr.decode() == ""
