"""Games of programs in any language on the command line: real programs, in the real jail."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from contest.games.registry import game_plugin, registered
from contest.model import LetterState
from contest.schema.sections import Evolution, Programs
from knobellib.samples import samples
from knobeln.cli import main
from knobeln.context import create_contest
from knobeln.home.home_game import distinct_names
from knobeln.services import Services
from store import letters, submissions
from tests.support.command_line import knobeln
from tests.support.contest_field import add_team
from tests.support.contest_field import settings as plain_settings
from tests.support.servers import need_numpy


def test_every_game_is_listed_with_its_sample_programs() -> None:
    output = knobeln("games").output
    for name in registered():
        assert name[:18] in output
    assert "tit_for_tat" in output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "programs", "says"),
    [
        pytest.param(
            "bid-tac-toe", ["bookkeeper", "copycat"], ["points"], id="Python against Perl, lines"
        ),
        pytest.param(
            "ultimate-tic-tac-toe",
            ["random_mover", "random_mover"],
            ["random_mover: ", "random_mover_2: "],
            id="a program against itself, a Python function",
        ),
        pytest.param(
            "standoff", ["trigger_happy", "avenger", "cautious"], ["points"], id="three at once"
        ),
    ],
)
def test_a_game_is_played_to_its_end(game: str, programs: list[str], says: list[str]) -> None:
    output = knobeln("play", "--game", game, *programs, "--seed", "s", "--protocol").output
    assert "failed" not in output
    for words in says:
        assert words in output


def test_a_program_that_breaks_the_rules_is_told_why_and_its_standard_error_is_shown(
    tmp_path: Path,
) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("import sys\nprint('no letter')\nprint('my own debug line', file=sys.stderr)\n")
    output = knobeln("play", "--game", "cooperation-legacy", bad, "tit_for_tat").output
    assert "bad failed" in output
    assert "    it wrote to standard error:\n    > my own debug line\n" in output
    assert "bad: 0 points" in output
    assert "tit_for_tat: 20 points" in output


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param(
            ["--game", "cooperation", "tit_for_tat"], "played by 2", id="too few programs"
        ),
        pytest.param(["council"], "played by 2", id="KNOBELN alone"),
    ],
)
def test_what_cannot_be_played_is_said(words: list[str], says: str) -> None:
    assert says in knobeln("play", *words, code=1).output


@pytest.mark.slow
def test_check_writes_the_compile_report_of_a_program_with_its_text_files(tmp_path: Path) -> None:
    program, moves = tmp_path / "mine.sh", tmp_path / "moves.txt"
    program.write_text("cat moves.txt\n")
    moves.write_text("C\n")
    output = knobeln("check", "--game", "cooperation", program, moves).output
    assert "mine compiled and would be accepted." in output
    assert "A trial game against always_cooperate" in output
    assert "moves.txt, 2" in output
    output = knobeln(
        "check", "--game", "cooperation", program, program.with_name("none.sh"), code=2
    ).output
    assert "does not exist" in output
    wrong = tmp_path / "wrong.py"
    wrong.write_text("def f(:\n")
    assert (
        "wrong would be rejected" in knobeln("check", "--game", "cooperation", wrong, code=1).output
    )
    assert "a single file" in knobeln("check", program, moves, code=1).output


def test_a_folder_is_a_program_with_its_text_files(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "p.sh").write_text("cat moves.txt\n")
    (folder / "moves.txt").write_text("C\n")
    output = knobeln("play", "--game", "cooperation-legacy", folder, "always_betray").output
    assert "mine: 0 points" in output
    assert "always_betray: 30 points" in output


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    """A contest of Hog with one accepted strategy and one that was rejected."""
    path = tmp_path / "contest"
    settings = plain_settings(format="exact").model_copy(
        update={
            "game": game_plugin("hog").settings(name="hog"),
            "programs": Programs(description="warn"),
            "evolution": Evolution(enabled=False),
        }
    )
    opens = settings.dates.compilation_opens
    folder = create_contest(path, settings)
    with folder.store.write() as tx:
        for name in ("lords", "ladies"):
            letter_id = letters.add(
                tx, raw=name.encode(), sender="", recipients=(), channel="t", now=opens
            )
            letters.finish(tx, letter_id, LetterState.HANDLED, "", None)
            sent = samples("hog")["chaser.py"] if name == "lords" else b"PLAYER_NAME = 'x'\n"
            team = add_team(tx, name, "")
            submissions.add(tx, team.id, letter_id, {"final_strategy.py": sent}, opens)
    Services(folder).compile_programs(at_once=True)
    folder.store.close()
    return path


@pytest.mark.slow
def test_what_the_teams_sent_and_the_ladder_are_shown(contest: Path) -> None:
    facts = json.loads(knobeln("programs", "-C", contest, "--json").output)
    assert [(f["team"], f["verdict"]) for f in facts] == [
        ("ladies", "rejected"),
        ("lords", "accepted"),
    ]
    assert facts[1]["files"] == {"final_strategy.py": len(samples("hog")["chaser.py"])}
    assert "no function of this name" in facts[0]["errors"][0]
    assert "ladies" not in knobeln("programs", "-C", contest, "--team", "lords").output
    assert (
        "there is no team" in knobeln("programs", "-C", contest, "--team", "nobody", code=1).output
    )
    assert (
        json.loads(knobeln("programs", "-C", contest, "--state", "queued", "--json").output) == []
    )
    (line,) = json.loads(knobeln("results", "ladder", "-C", contest, "--json").output)
    assert (line["team"], line["strategy"]["player_name"], line["rank"]) == ("lords", "Chaser", 1)
    assert "Chaser" in knobeln("results", "ladder", "-C", contest).output


def test_a_contest_of_another_game_has_no_ladder(tmp_path: Path) -> None:
    knobeln("init", tmp_path / "c")
    assert "has no ladder" in knobeln("results", "ladder", "-C", tmp_path / "c", code=1).output


NUMB = """import numpy
PLAYER_NAME = "Numb"
def final_strategy(score, opponent_score):
    return int(numpy.int64(4))
"""


@pytest.mark.slow
def test_at_home_a_strategy_of_hog_may_import_what_the_contest_lets_it(tmp_path: Path) -> None:
    need_numpy()
    (tmp_path / "final_strategy.py").write_text(NUMB)
    assert "Numb" in knobeln("check", "--game", "hog", tmp_path / "final_strategy.py").output


@pytest.mark.slow
def test_at_home_a_package_that_is_not_installed_is_named_and_others_can_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "compiler.languages.package_patterns", lambda package: (f"/nowhere/{package}",)
    )
    (tmp_path / "final_strategy.py").write_bytes(samples("hog")["piler.py"])
    said = knobeln("check", "--game", "hog", tmp_path / "final_strategy.py").stderr
    assert "A contest of this game lets programs import numpy, which is not installed here." in said


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('name = "knobeln"', 'name = "chess"', "there is no game 'chess'; there are bid-tac-toe"),
        (
            'format = "group-elimination"',
            'format = "melee"',
            "KNOBELN has 2 seats, but in melee all play",
        ),
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


def test_programs_are_named_after_their_files_without_what_an_archive_ends_with() -> None:
    assert distinct_names(["a/bot.tar.gz", "b/bot.py", "bot", "x.y.py"]) == [
        "bot",
        "bot_2",
        "bot_3",
        "x.y",
    ]


def test_a_program_in_a_folder_with_a_blank_in_its_name_plays(tmp_path: Path) -> None:
    """The game announces it to its opponent in one word."""
    folder = tmp_path / "two words"
    folder.mkdir()
    (folder / "even_hand.sh").write_bytes(samples("bid-tac-toe")["even_hand.sh"])
    words = ("play", "--game", "bid-tac-toe", str(folder), "even_hand", "--seed", "home")
    played = CliRunner().invoke(main, words)
    assert played.exit_code == 0, played.output
    assert "two_words: " in played.output


@pytest.mark.slow
def test_check_takes_a_folder_and_an_archive_and_says_what_starts(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    (folder / "parts").mkdir(parents=True)
    (folder / "main.sh").write_text(". parts/answer.sh\n")
    (folder / "parts" / "answer.sh").write_text("echo C\n")
    packed = shutil.make_archive(str(folder), "zip", folder)
    for program in (folder, packed):
        done = knobeln("check", "--game", "cooperation", program)
        assert "mine compiled and would be accepted.\n" in done.output
        assert "the program starts with main.sh" in " ".join(done.output.split())
        assert "No file has a <<FROM>> line" in done.output


def test_check_ends_with_another_code_if_the_trial_game_failed(tmp_path: Path) -> None:
    program = tmp_path / "mine.sh"
    program.write_text("# <<FROM>> lords k7qd\nexit 1\n")
    done = knobeln("check", "--game", "cooperation", program, code=3)
    first = done.output.lstrip().partition("\n\n")[0]
    assert " ".join(first.split()) == (
        "mine compiled and would be accepted, but failed its trial game."
    )
    assert "No file has" not in done.output
