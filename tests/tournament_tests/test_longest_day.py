"""How long a day lasts at most, by the limits of its programs."""

import pytest

from tests.support.other_contests import settings_of
from tournament.longest_day import longest_first_round, longest_in_a_game

LIMITS = {"fuel": 100_000_000, "seconds": 0.5}


@pytest.mark.parametrize(
    ("is_counted", "seconds"),
    [
        (False, 15 * 0.5 + 2 * 0.5 + 5),  # 15 answers, and sleep
        (True, 15 * 0.1 + 15 * 0.02),  # fewer than the 50 full answers of a game
    ],
)
def test_a_program_takes_all_its_answers_in_a_game(is_counted: bool, seconds: float) -> None:
    settings = settings_of("cooperation").changed(programs=LIMITS)
    assert longest_in_a_game(settings, is_counted=is_counted) == pytest.approx(seconds)


def test_who_waits_for_the_other_has_half_of_the_answers() -> None:
    settings = settings_of("ultimate-tic-tac-toe").changed(programs=LIMITS)
    assert longest_in_a_game(settings, is_counted=True) == pytest.approx(41 * (0.1 + 0.02))


def test_each_of_a_game_takes_its_own_time() -> None:
    settings = settings_of("cooperation").changed(programs=LIMITS)
    counted, timed = (
        longest_in_a_game(settings, is_counted=is_counted) for is_counted in (True, False)
    )
    mixed = longest_first_round(settings, {"a": True, "b": False, "c": False})
    games = longest_first_round(settings, {"a": True, "b": True}) / (2 * counted)
    assert games >= 1
    assert mixed == pytest.approx(games * (2 * counted + 4 * timed))
    assert longest_first_round(settings, {}) == 0
