"""The page about tournaments of functions is run as it is printed."""

import re
from pathlib import Path

import pytest

from contest.errors import ConfigError, NotFound
from contest.schema.sections import Tournament
from tournament.functions import play

PAGE = (Path(__file__).parents[2] / "docs" / "tournament.md").read_text(encoding="utf-8")


def friend(own: str, other: str) -> str:
    return "C"


def test_the_program_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (printed,) = re.findall(r"It prints:\n\n((?:    .*\n)+)", PAGE)
    exec(program, {})  # noqa: S102 - it is ours
    assert capsys.readouterr().out == re.sub("(?m)^    ", "", printed)


@pytest.mark.parametrize(
    ("name", "rounds"),
    [
        ("round-robin", 1),
        ("group-elimination", 3),
        ("double-elimination", 4),
    ],
)
def test_each_format_finds_a_winner(name: str, rounds: int) -> None:
    settings = Tournament(format=name, group_min=2, group_max=3, final_size=3)
    result = play("cooperation", dict.fromkeys(("a", "b", "c", "d"), friend), settings)
    assert (len(result.rounds), result.ranking[0].rank) == (rounds, 1)


def test_the_same_seed_gives_the_same_games() -> None:
    players = dict.fromkeys(("a", "b", "c"), friend)
    first, second, other = (play("cooperation", players, seed=seed) for seed in ("x", "x", "z"))
    assert first == second
    assert first.rounds[0].groups[0].matches[0].result.moves is not None
    assert other.ranking[0].half_points != first.ranking[0].half_points


def test_what_a_function_raises_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        play("cooperation", {"a": friend, "b": lambda own, other: str(1 // 0)})


def test_a_game_without_words_is_refused() -> None:
    with pytest.raises(ConfigError, match="no game of programs that talk"):
        play("hog", {"a": friend, "b": friend})
    with pytest.raises(NotFound, match="there is no game 'chess'"):
        play("chess", {"a": friend, "b": friend})
