"""Hog: our own strategies, and what the page says, held to the program."""

import re
import runpy
from functools import cache
from pathlib import Path

import pytest

from contest.games.hog import (
    LOWEST_GOAL,
    MAX_DICE,
    SCORES,
    HogEntry,
    goal_for,
    hog_pile,
    picky_piggy,
    why_illegal_name,
)
from contest.subprocesses.hog_solver import win_rates
from tests.support.hog_ranking import all_pairs, ranking

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "games" / "hog.md").read_text(encoding="utf-8")
OPPONENTS = sorted((ROOT / "knobellib" / "opponents" / "hog").glob("*.py"))


@cache
def answers(program: Path) -> tuple[object, ...]:
    strategy = runpy.run_path(str(program))["final_strategy"]
    return tuple(strategy(own, opponent) for own in range(SCORES) for opponent in range(SCORES))


@pytest.mark.parametrize("program", OPPONENTS, ids=lambda program: program.stem)
def test_every_sample_strategy_is_a_valid_one_of_the_lowest_goal(program: Path) -> None:
    assert all(type(each) is int and 0 <= each <= MAX_DICE for each in answers(program))
    assert why_illegal_name(runpy.run_path(str(program))["PLAYER_NAME"]) is None
    assert goal_for(program.stat().st_size) == LOWEST_GOAL


def test_sample_strategies_have_different_names() -> None:
    assert (
        len({runpy.run_path(str(each))["PLAYER_NAME"] for each in OPPONENTS}) == len(OPPONENTS) == 8
    )


def test_the_page_shows_the_ranking_of_the_sample_strategies() -> None:
    entries = [HogEntry(bytes(answers(p)), goal_for(p.stat().st_size)) for p in OPPONENTS]
    pairs = all_pairs(len(entries))
    table = ranking(len(entries), dict(zip(pairs, win_rates(entries, pairs), strict=True)))
    lines = [f"| {rank} | {OPPONENTS[entry].stem} | {points} |" for rank, entry, points in table]
    assert "\n".join(lines) in PAGE


def test_the_pages_goals_are_those_of_the_program() -> None:
    rows = re.findall(r"^\| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 10
    assert [goal_for(int(size)) for size, _goal in rows] == [int(goal) for _size, goal in rows]


def test_the_pages_digits_are_those_of_the_program() -> None:
    scores, digits = (
        [int(number) for number in re.findall(r"\d+", line)]
        for line in PAGE.splitlines()
        if line.startswith(("| opponent's score", "| points without dice"))
    )
    assert [picky_piggy(score) for score in scores] == digits


def test_the_pages_example_of_hog_pile_adds_up() -> None:
    rows = re.findall(
        r"^\| (?:first|second) \| \d \| (\d) \| (\d+) : (\d+) \|$", PAGE, re.MULTILINE
    )
    assert len(rows) == 4
    scores = [0, 0]
    for turn, (points, *after) in enumerate(rows):
        scores[turn % 2] = hog_pile(scores[turn % 2] + int(points), scores[1 - turn % 2])
        assert scores == [int(score) for score in after]


def test_the_pages_formula_is_the_programs() -> None:
    formula = re.search(r"^def target_score.*?\n```", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(formula[0].removesuffix("```"), names)  # noqa: S102 - a function of our own page
    assert all(names["target_score"](size) == goal_for(size) for size in range(11_000))
