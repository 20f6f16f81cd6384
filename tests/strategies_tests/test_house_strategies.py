"""Each house strategy as a text, and as the compiler sees it."""

import re
from importlib.resources import files

import pytest

from compiler.source import SourceText
from knobellib.samples import HouseStrategy, house_strategies
from tests.support.contest_field import House

each_strategy = pytest.mark.parametrize(
    "strategy", house_strategies(), ids=lambda strategy: strategy.name
)


def test_there_are_enough_strategies_for_a_full_group_each_of_a_file_and_sorted_by_name() -> None:
    assert len(house_strategies()) >= 37
    folder = files("knobellib").joinpath("strategies")
    names = [strategy.name for strategy in house_strategies()]
    assert names == sorted(file.name[:-2] for file in folder.iterdir() if file.is_file())


@each_strategy
def test_the_name_is_fit_for_a_team_and_stands_in_the_first_comment(
    strategy: HouseStrategy,
) -> None:
    assert re.fullmatch(r"[a-z_][a-z0-9_]{0,29}", strategy.name)
    first_comment = strategy.source[: strategy.source.index("*/")]
    assert first_comment.startswith("/*")
    assert strategy.name in first_comment


@each_strategy
def test_the_description_has_fifteen_lines_that_fit_into_a_mail(strategy: HouseStrategy) -> None:
    lines = SourceText(strategy.source).description
    assert len(lines) >= 15
    assert max(map(len, lines)) <= 72


@each_strategy
def test_a_number_can_be_changed_at_the_top_and_the_mail_adds_the_authentification(
    strategy: HouseStrategy,
) -> None:
    assert re.search(r"^#define [A-Z_]+ ", strategy.source, re.MULTILINE)
    assert "<<FROM>>" not in strategy.source


@each_strategy
def test_the_compiler_accepts_it_and_has_nothing_to_say(
    strategy: HouseStrategy, house: House
) -> None:
    report = house[strategy.name].report
    assert report.accepted
    assert (report.findings, report.messages) == ((), "")
