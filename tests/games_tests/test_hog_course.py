"""What strategies of Hog may import: the course's modules, by our own writing."""

import pytest

from compiler.builders import builder_of
from contest.games.hog import goal_for
from contest.model import TableBuildReport
from knobellib import hog_contest
from knobellib.hog_course import own_files, with_course
from knobeln import presets
from tests.support.contest_field import NOW
from tournament.runners import open_runner

STRATEGY = "PLAYER_NAME = 'x'\n{}\ndef final_strategy(score, opponent_score):\n    return {}\n"


def test_the_rules_of_a_turn_are_those_of_the_game() -> None:
    assert [hog_contest.picky_piggy(score) for score in (0, 1, 2, 3, 4, 5, 6, 7, 14)] == [
        7,
        1,
        4,
        2,
        8,
        5,
        7,
        1,
        4,
    ]
    dice = hog_contest.make_test_dice(2, 3, 1)
    assert hog_contest.roll_dice(2, dice) == 5
    assert hog_contest.roll_dice(2, dice) == 1
    assert hog_contest.take_turn(0, 4, dice) == 8
    assert hog_contest.hog_pile(11, 11) == 11
    assert hog_contest.hog_pile(11, 12) == 0
    assert {hog_contest.four_sided() for _ in range(200)} == {1, 2, 3, 4}
    assert hog_contest.always_roll(5)(0, 0) == 5
    assert hog_contest.picky_piggy_strategy(0, 4) == 0
    assert hog_contest.hog_pile_strategy(1, 2) == 6


def test_the_teams_own_project_file_comes_before_ours_but_not_its_dice() -> None:
    sent = {"final_strategy.py": b"1", "hog.py": b"2", "dice.py": b"3"}
    seen = with_course(sent)
    assert seen["hog.py"] == b"2"
    assert seen["dice.py"] != b"3"
    assert set(own_files(sent)) == {"final_strategy.py", "hog.py"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "others"),
    [
        ("from dice import six_sided, make_test_dice", {}),
        ("from hog_contest.dice import make_fair_dice", {}),
        ("from hog import picky_piggy, roll_dice, take_turn", {}),
        ("import hog_contest, hog_contest.hog", {}),
        ("from dice import six_sided", {"dice.py": b"#" * 9_000}),
        ("from gamecalc import n", {"gamecalc.py": b"n = 4\n" * 900}),
    ],
)
def test_a_strategy_imports_the_files_of_the_folder_and_they_cost_nothing(
    line: str, others: dict[str, bytes]
) -> None:
    source = STRATEGY.format(line, "4").encode()
    report = report_of({"final_strategy.py": source, **others})
    assert report.accepted, report.findings
    assert (report.source_bytes, report.goal) == (len(source), goal_for(len(source)))


@pytest.mark.slow
def test_a_strategy_that_raises_names_the_scores_and_what_is_asked() -> None:
    source = STRATEGY.format("TABLE = [4] * 100", "TABLE[opponent_score]").encode()
    (finding, *_) = report_of({"final_strategy.py": source}).findings
    assert "IndexError: list index out of range for (0, 100)" in finding.text
    assert "asked for every pair from (0, 0) to (299, 299)" in finding.text


def report_of(files: dict[str, bytes]) -> TableBuildReport:
    settings = presets.settings("hog", NOW)
    settings = settings.changed(programs={"description": "none", "python_packages": ()})
    report = builder_of(settings, open_runner).build(files, "", with_trial=False).report
    assert isinstance(report, TableBuildReport)
    return report
