"""Hog: a turn, the odds of a roll, goals, and the ranking."""

from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

from contest.games.hog import (
    MAX_DICE,
    SCORES,
    HogEntry,
    goal_for,
    hog_pile,
    odds,
    picky_piggy,
    roll_ways,
    why_illegal_name,
)
from tests.support.hog_win_rate import Position, after, sow_sad

FOUR = bytes([4]) * (SCORES * SCORES)


# --- a turn ---


def test_the_digits_are_those_of_one_seventh() -> None:
    assert [picky_piggy(n) for n in range(1, SCORES)] == [10**n // 7 % 10 for n in range(1, SCORES)]


def test_the_example_of_hog_pile_goes_as_announced() -> None:
    position, chain = Position(), []
    for player, dice, points in ((0, 2, 5), (1, 1, 5), (0, 2, 6), (1, 8, 1)):
        position = after(replace(position, player=player), dice, points)
        chain.append(position.scores)
    assert chain == [(5, 0), (5, 10), (11, 10), (11, 22)]


@pytest.mark.parametrize(
    ("own", "opponent", "score"), [(10, 10, 20), (10, 11, 10), (11, 10, 11), (49, 49, 98)]
)
def test_only_equal_scores_double(own: int, opponent: int, score: int) -> None:
    assert hog_pile(own, opponent) == score


@pytest.mark.parametrize(
    ("turn", "extra", "dice", "again"),
    [
        (0, False, 0, True),
        (1, False, 1, True),
        (7, False, 7, True),
        (8, False, 0, True),
        (13, False, 5, True),
        (1, False, 2, False),
        (8, False, 8, False),
        (9, False, 9, False),
        (10, False, 10, False),
        (3, True, 3, False),
        (16, True, 0, False),
    ],
)
def test_as_many_dice_as_the_turns_number_earn_one_extra_turn(
    turn: int, extra: bool, dice: int, again: bool
) -> None:
    following = after(Position((9, 30), 0, turn, extra), dice, 2)
    assert following == Position((11, 30), 0 if again else 1, turn + 1, again)


# --- the odds ---
@pytest.mark.parametrize("dice", range(1, 7))
def test_the_odds_are_those_of_all_ways_that_dice_can_fall(dice: int) -> None:
    counted = Counter(sow_sad(faces) for faces in product(range(1, 7), repeat=dice))
    assert roll_ways(dice) == counted


@pytest.mark.parametrize("dice", range(MAX_DICE + 1))
def test_the_odds_of_any_number_of_dice_add_up_to_one(dice: int) -> None:
    assert sum(odds(dice, 17).values()) == 1
    assert all(1 <= points <= 6 * max(dice, 2) for points in odds(dice, 17))


# --- goals ---


def test_floating_point_makes_a_difference_at_four_sizes_only() -> None:
    exact = {size: min(max(size * 300 // 10_000, 50), 300) for size in range(12_000)}
    assert [size for size in exact if goal_for(size) != exact[size]] == [4100, 5700, 6900, 8200]


# --- what a strategy may say ---
@pytest.mark.parametrize(
    ("name", "words"), [("", "0 characters"), ("x" * 65, "65 characters"), (None, "NoneType")]
)
def test_any_other_name_than_one_of_1_to_64_characters_is_refused(name: object, words: str) -> None:
    assert words in str(why_illegal_name(name))
    assert [why_illegal_name(good) for good in ("x", "Always Four", "ä" * 64)] == [None] * 3


@pytest.mark.parametrize(
    ("table", "goal", "words"),
    [
        (FOUR[1:], 50, "89,999 places"),
        (FOUR[1:] + b"\x0b", 50, "11 dice"),
        (FOUR, 0, "goal 0"),
        (FOUR, 301, "goal 301"),
    ],
)
def test_an_impossible_entry_is_refused(table: bytes, goal: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        HogEntry(table, goal)


def test_a_table_is_read_by_own_score_and_opponents() -> None:
    table = bytes((own + 3 * opponent) % 11 for own in range(SCORES) for opponent in range(SCORES))
    entry = HogEntry(table, 50)
    assert [entry.dice(0, 0), entry.dice(1, 0), entry.dice(0, 1), entry.dice(299, 298)] == [
        0,
        1,
        3,
        5,
    ]
