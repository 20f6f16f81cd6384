"""The three programs with which the demonstration shows what goes wrong."""

from collections.abc import Callable
from importlib.resources import files

import pytest

from compiler.build import BuildResult
from contest.model import GameResult, Verdict
from knobellib.samples import HouseStrategy
from sandbox.vm.image import Image

Images = dict[str, Image]
Play = Callable[..., dict[tuple[str, str, int], GameResult]]


def demo_program(name: str) -> HouseStrategy:
    return HouseStrategy(name, files("knobellib").joinpath("demo", f"{name}.c").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def images_with_breaker(house_images: Images, compile_program: Callable[[str], BuildResult]) -> Images:
    return house_images | {"breaks_rules": compile_program(demo_program("breaks_rules").source).image}


@pytest.mark.parametrize(
    ("name", "rule", "line", "words"),
    [
        ("forbidden_routine", "forbidden routine", "printf", "printf"),
        ("does_not_compile", "compiler", "wins = 0\n", ""),  # without its semicolon
    ],
)
def test_each_refused_one_has_one_mistake_that_is_reported_with_its_line(
    compile_program, name, rule, line, words
) -> None:
    source = demo_program(name).source
    report = compile_program(source).report
    assert not report.accepted
    (finding,) = report.findings
    assert finding.rule == rule
    assert words in finding.text
    assert line in source.splitlines(keepends=True)[finding.line - 1]


def test_the_rule_breaker_is_accepted_without_a_finding(compile_program) -> None:
    report = compile_program(demo_program("breaks_rules").source).report
    assert report.accepted
    assert (report.findings, report.messages) == ((), "")


@pytest.mark.parametrize("number", range(3))
def test_the_rule_breaker_fails_at_least_twice_in_a_round_of_40_games(
    number: int, images_with_breaker: Images, play_games: Play
) -> None:
    opponents = sorted(images_with_breaker.keys() - {"breaks_rules"})[:40]
    games = play_games(images_with_breaker, (("breaks_rules", opponent, number) for opponent in opponents))
    verdicts = [result.seats[0].verdict for result in games.values()]
    assert verdicts.count(Verdict.ILLEGAL_MOVE) >= 2
    assert set(verdicts) == {Verdict.OK, Verdict.ILLEGAL_MOVE}
