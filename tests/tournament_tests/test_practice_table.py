"""The table of practice and the comparison of two versions, as functions of games."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from statistics import NormalDist, fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.games.game import MACHINE, TABLE, FaultRule, GameInfo
from contest.model import GameResult, PracticeGame, SeatResult, Verdict
from contest.seeds import Seeds, seed_from
from reports.practice_table import (
    YOU,
    Comparison,
    ComparisonVerdict,
    compare_versions,
    comparison_cells,
    is_confirmed,
    mean_points,
    mean_text,
    practice_table,
    row_cells,
)

REPLAYED = GameInfo("g", "G", 2, 2, 10, FaultRule.REPLAY, MACHINE)
LOST = replace(REPLAYED, fault_rule=FaultRule.GAME_LOST)
TOGETHER = replace(LOST, max_seats=10)
COMPUTED = replace(LOST, play=TABLE, point=1_000)

POINTS = st.integers(min_value=0, max_value=13_000)
VERDICTS = st.sampled_from([Verdict.OK, Verdict.OK, Verdict.CRASH, Verdict.INTERNAL])


def game(
    opponent: str, *points: int, own: Verdict = Verdict.OK, its: Verdict = Verdict.OK
) -> PracticeGame:
    verdicts = (own, its, *[Verdict.OK] * len(points))
    seats = tuple(SeatResult(p, v, None) for p, v in zip(points, verdicts, strict=False))
    return PracticeGame(tuple(opponent.split()), GameResult(seats, 10, f"{points}"))


GAMES = st.lists(
    st.builds(game, st.sampled_from("abcde"), POINTS, POINTS, own=VERDICTS, its=VERDICTS),
    max_size=40,
)


@given(GAMES, st.sampled_from([REPLAYED, LOST]))
def test_every_game_is_in_one_row_and_rows_stand_by_rank(
    games: list[PracticeGame], info: GameInfo
) -> None:
    rows = practice_table(games, info)
    assert sorted(row.name for row in rows) == sorted({each.opponents[0] for each in games})
    for row in rows:
        played = [each.result for each in games if each.opponents == (row.name,)]
        assert row.failed == sum(result.seats[0].verdict is Verdict.CRASH for result in played)
        without_points = row.stopped + (row.failed if info is REPLAYED else 0)
        if info is REPLAYED:
            assert row.counted + without_points == len(played)
        assert (row.own is None) == (row.rank is None) == (row.counted == 0)
        assert (row.spread is None) == (row.counted < 2)
    ranked = [row for row in rows if row.own is not None]
    assert list(rows[: len(ranked)]) == ranked
    for row in ranked:
        assert row.rank == 1 + sum((other.own or 0) > (row.own or 0) for other in ranked)


@given(GAMES)
def test_the_mean_over_all_opponents_is_that_of_all_games_with_points(
    games: list[PracticeGame],
) -> None:
    counted = [each.result.seats for each in games if each.result.is_flawless]
    mean = mean_points(practice_table(games, REPLAYED))
    means = [fmean(seats[n].points for seats in counted) for n in (0, 1)] if counted else None
    assert mean == (means and pytest.approx(tuple(means)))


def test_in_a_game_of_many_each_player_has_a_row_and_the_program_is_one_of_them() -> None:
    rows = practice_table([game("a b", 3, 5, 5), game("a b", 4, 1, 2)], TOGETHER)
    wanted = [(1, "b", 0, 1, 1), (1, YOU, 1, 0, 1), (3, "a", 0, 1, 1)]
    assert [(row.rank, row.name, row.won, row.drawn, row.lost) for row in rows] == wanted


def test_cells_have_thousands_separators_and_say_what_has_no_points() -> None:
    def cells(*games: PracticeGame, point: int = 1) -> str:
        return " ".join(row_cells(practice_table(games, REPLAYED)[0], point, together=False))

    many = cells(game("a", 1_000, 12_345), game("a", 2_001, 12_345))
    assert many == "1 a 0 0 2 1,500.5 12,345.0 707.8"
    assert cells(game("a", 3_000, 1), point=2) == "1 a 1 0 0 1,500 0.5 -"
    assert cells(game("a", 9, 1, own=Verdict.CRASH)) == "- a - - - FAILED - -"
    assert cells(game("a", 9, 1, its=Verdict.CRASH)) == "- a - - - - - -"
    assert mean_text(-1_234.56, 1) == "-1,234.6"


PAIRS = st.lists(st.tuples(POINTS, POINTS), min_size=2, max_size=12)


def versions(
    strata: dict[str, list[tuple[int, int]]],
) -> tuple[list[PracticeGame], list[PracticeGame]]:
    pairs = [(name, pair) for name, played in strata.items() for pair in played]
    return [game(name, a, 0) for name, (a, _) in pairs], [
        game(name, b, 0) for name, (_, b) in pairs
    ]


def compared(info: GameInfo = REPLAYED, **strata: list[tuple[int, int]]) -> Comparison:
    return compare_versions(*versions(strata), info)


@given(st.dictionaries(st.sampled_from("abcde"), PAIRS, min_size=1))
def test_the_comparison_turns_its_sign_when_the_versions_change_places(strata) -> None:
    first, second = versions(strata)
    here, there = (
        compare_versions(first, second, REPLAYED),
        compare_versions(second, first, REPLAYED),
    )
    assert here.verdict is there.verdict
    assert here.total.difference == -there.total.difference
    assert here.total.margin == pytest.approx(there.total.margin)
    assert here.total.difference == pytest.approx(fmean(row.difference for row in here.rows))


def test_the_interval_is_that_of_students_t() -> None:
    # Differences 1, 2, 3, 4, 10: mean 4, standard error 1.5811, 2.776 for 4 degrees of freedom.
    few = compared(a=[(1, 0), (2, 0), (3, 0), (4, 0), (10, 0)])
    assert few.total.margin == pytest.approx(2.776 * 1.5811, rel=1e-3)
    # 41 pairs with a variance of 1.025: 2.021 for 40 degrees of freedom.
    many = compared(a=[(i % 2 * 2, 1) for i in range(40)] + [(1, 1)])
    assert many.total.margin == pytest.approx(2.0211 * (1.0 / 41) ** 0.5, rel=1e-3)


NOISE = [3, -2, 5, 0, -4, 1, -1, 2]


@pytest.mark.parametrize(
    ("differences", "verdict"),
    [
        ([0] * 8, ComparisonVerdict.SAME),
        ([10 + each for each in NOISE], ComparisonVerdict.REAL),
        (NOISE, ComparisonVerdict.UNCERTAIN),
        ([1, 1, 1, 0, 0, 0, 0, 0], ComparisonVerdict.UNCERTAIN),
        ([7], ComparisonVerdict.TOO_FEW),
        ([7, 8], ComparisonVerdict.UNCERTAIN),
    ],
)
def test_a_difference_is_real_if_chance_would_hardly_give_it(
    differences: list[int], verdict: ComparisonVerdict
) -> None:
    assert compared(a=[(100 + each, 100) for each in differences]).verdict is verdict


def test_only_what_is_real_twice_in_the_same_direction_is_confirmed() -> None:
    def found(shift: int) -> Comparison:
        return compared(a=[(100 + shift + each, 100) for each in NOISE])

    better, worse, unclear = found(10), found(-10), found(0)
    assert is_confirmed(better, better)
    assert is_confirmed(worse, worse)
    assert not any(map(partial(is_confirmed, better), (worse, unclear, None)))
    assert not is_confirmed(unclear, better)


# A number of 10,000 that are equally likely -> points.
CHANCES: dict[str, Callable[[int], int]] = {
    "seldom": lambda number: 1_000 * (number < 1_000),
    "heavy tails": lambda number: round(100 * NormalDist().inv_cdf((number + 0.5) / 10_000) ** 3),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chance", "opponents", "games"), [("seldom", 4, 4), ("heavy tails", 8, 2)]
)
def test_of_1000_students_who_try_20_changes_that_change_nothing_few_are_told_that_one_is_real(
    chance: str, opponents: int, games: int
) -> None:
    possible = [
        [game(str(n), CHANCES[chance](number), 0) for number in range(10_000)]
        for n in range(opponents)
    ]
    seeds, numbers = Seeds(seed_from(chance)), count()

    def plays() -> list[PracticeGame]:
        drawn = seeds.numbers(f"{next(numbers)}", opponents * games, 10_000)
        return [possible[at % opponents][number] for at, number in enumerate(drawn)]

    once = told = 0
    for _ in range(1_000):
        old, looked_real, is_real = plays(), False, False
        for _ in range(20):
            first = compare_versions(plays(), old, REPLAYED)
            if first.verdict is ComparisonVerdict.REAL:
                looked_real = True
                is_real = is_real or is_confirmed(
                    first, compare_versions(plays(), plays(), REPLAYED)
                )
        once, told = once + looked_real, told + is_real
    assert told <= 50
    assert told < once / 10


def test_without_chance_a_difference_is_exact() -> None:
    assert (
        compared(a=[(7, 5)] * 2, b=[(3, 5)] * 2, c=[(9, 5)] * 2).verdict is ComparisonVerdict.EXACT
    )
    of_tables = compared(COMPUTED, a=[(712, 500)])
    assert of_tables.verdict is ComparisonVerdict.EXACT
    assert comparison_cells(of_tables.rows[0], 1_000)[3:] == ("0.712", "0.5", "0.212", "-")
