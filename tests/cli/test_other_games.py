"""Games of programs in any language on the command line: real programs, in the real jail."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from knobeln.cli import main
from knobeln.games import registered


def knobeln(*words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def test_every_game_is_listed_with_its_sample_programs() -> None:
    output = knobeln("games").output
    for name in registered():
        assert name[:18] in output
    assert "tit_for_tat" in output


@pytest.mark.parametrize(
    ("game", "programs", "says"),
    [
        pytest.param(
            "cooperation-legacy",
            ["tit_for_tat", "always_betray"],
            ["tit_for_tat: 9 points", "always_betray: 12 points"],
            id="Python against shell, arguments",
        ),
        pytest.param(
            "cooperation",
            ["always_cooperate", "pavlov"],
            ["pavlov: 30 points"],
            id="shell against C, a secret length",
        ),
        pytest.param("bid-tac-toe", ["bookkeeper", "copycat"], ["points"], id="Python against Perl, lines"),
        pytest.param(
            "ultimate-tic-tac-toe",
            ["random_mover", "random_mover"],
            ["random_mover: ", "random_mover_2: "],
            id="a program against itself, a Python function",
        ),
        pytest.param("standoff", ["trigger_happy", "avenger", "cautious"], ["points"], id="three at once"),
    ],
)
def test_a_game_is_played_to_its_end(game: str, programs: list[str], says: list[str]) -> None:
    output = knobeln("play", "--game", game, *programs, "--seed", "s", "--protocol").output
    assert "failed" not in output
    for words in says:
        assert words in output


def test_a_program_that_breaks_the_rules_is_told_why_and_its_standard_error_is_shown(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("import sys\nprint('no letter')\nprint('my own debug line', file=sys.stderr)\n")
    output = knobeln("play", "--game", "cooperation-legacy", bad, "tit_for_tat").output
    assert "bad failed" in output
    assert "bad: 0 points" in output
    assert "tit_for_tat: 20 points" in output


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param(["--game", "chess", "a", "b"], "no game 'chess'", id="an unknown game"),
        pytest.param(["--game", "cooperation", "tit_for_tat"], "played by 2", id="too few programs"),
        pytest.param(["--game", "cooperation", "nobody", "pavlov"], "tit_for_tat", id="an unknown program"),
        pytest.param(["council"], "played by 2", id="KNOBELN alone"),
    ],
)
def test_what_cannot_be_played_is_said(words: list[str], says: str) -> None:
    assert says in knobeln("play", *words, code=1).output


def test_a_program_in_no_known_language_is_refused_with_the_right_form(tmp_path: Path) -> None:
    strange = tmp_path / "program.xyz"
    strange.write_text("?")
    assert "suffix" in knobeln("play", "--game", "cooperation", strange, "pavlov", code=1).output


def test_a_syntax_error_is_shown_in_the_compilers_own_words(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("def f(:\n")
    assert "SyntaxError" in knobeln("play", "--game", "cooperation", wrong, "pavlov", code=1).output


def test_hog_strategies_are_compared_exactly() -> None:
    output = knobeln("compare", "always_four", "piler", "chaser").output
    assert "50.609832%" in output
    assert output.index("ranking") < output.index("match points")


def test_a_hog_strategy_that_is_no_function_of_the_scores_is_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "final_strategy.py"
    wrong.write_text("def final_strategy(score, opponent_score):\n    return 11\n")
    assert "11" in knobeln("compare", wrong, "piler", code=1).output


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('name = "knobeln"', 'name = "chess"', "there is no game 'chess', only bid-tac-toe"),
        ('format = "group-elimination"', 'format = "swiss"', "there is no 'swiss'; choose from"),
        ('format = "group-elimination"', 'format = "melee"', "KNOBELN has 2 seats, but in melee all play"),
        ('format = "group-elimination"', 'format = "exact"', "there is no evolution in exact"),
    ],
)
def test_a_game_and_a_format_that_do_not_fit_are_told_at_once(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    knobeln("init", tmp_path)
    file = tmp_path / "contest.toml"
    file.write_text(file.read_text().replace(old, new))
    result = CliRunner().invoke(main, ["status", "-C", str(tmp_path)], standalone_mode=True)
    assert result.exit_code != 0
    assert complaint in result.output
