"""`knobeln practice`: real programs, in the real sandbox and on the contest machine."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue

import pytest

from arena.practice_games import MAX_GAMES
from contest.config.load import FILE_NAME
from knobellib.samples import house_strategies
from tests.support.command_line import knobeln

HIGH = "main () { for (;;) make_throw (12288); }\n"
LOW = "main () { for (;;) make_throw (6144); }\n"
LUCKY = """main ()
{ int i, n; init_random (); for (;;) { n = next_random (1, 12288); for (i = 0; i < 8; i++)
make_throw (n); } }
"""


@pytest.fixture
def field(tmp_path: Path) -> Path:
    """A folder with three programs in C, and a file that is none."""
    folder = tmp_path / "field"
    folder.mkdir()
    for name, source in (
        ("low.c", LOW),
        ("lucky.c", LUCKY),
        ("you.c", HIGH),
        ("README", "no program"),
    ):
        (folder / name).write_text(source)
    return folder


@pytest.mark.slow
def test_a_program_plays_the_whole_house_and_the_table_says_how() -> None:
    output = knobeln("practice", "pavlov").output
    rows = re.findall(
        r"^(\d+)\t(\w+)\t(\d+)\t(\d+)\t(\d+)\t([\d,.]+)\t([\d,.]+)\t([\d,.]+)", output, re.MULTILINE
    )
    assert sorted(row[1] for row in rows) == [strategy.name for strategy in house_strategies()]
    assert all(sum(map(int, row[2:5])) == MAX_GAMES for row in rows)
    assert f"of {MAX_GAMES * len(rows)} games; on average it won" in output
    assert output == knobeln("practice", "pavlov").output


def test_a_folder_of_programs_is_a_field_and_the_program_itself_is_not_in_it(field: Path) -> None:
    output = knobeln("practice", field / "low.c", "--field", field, "--games", 3).output
    # 12288 against 6144: the higher wins floor(log2(12288)) = 13 points a throw.
    assert re.search(r"^\d\tyou_2\t0\t0\t3\t0\.0\t13,000\.0\t0\.0", output, re.MULTILINE)
    assert re.search(r"^1\tlucky\t0\t0\t3\t", output, re.MULTILINE)
    assert "low won 0, drew 0 and lost 6 of 6 games" in output


def test_two_versions_are_compared_and_a_real_difference_is_said_to_be_real(field: Path) -> None:
    bold = field.parent / "bold.c"
    bold.write_text(LUCKY.replace("next_random (1,", "next_random (6144,"))
    output = knobeln("practice", bold, "--field", field, "--against", field / "lucky.c").output
    assert re.search(r"^rank\topponent\tgames\tbold\tlucky\tdifference\t\+-", output, re.MULTILINE)
    said = re.search(
        r"lucky wins ([\d,.]+) points a game more than bold \(\+- ([\d,.]+), 95 %\): the", output
    )
    assert said, output
    difference, margin = (float(number.replace(",", "")) for number in said.groups())
    assert difference > margin > 0
    assert "the difference is real against these opponents." in output


def test_games_without_chance_are_said_to_be_exact(field: Path) -> None:
    (field / "lucky.c").unlink()
    other = field.parent / "other.c"
    other.write_text("main () { for (;;) make_throw (6143); }\n")
    output = knobeln(
        "practice", field / "low.c", "--field", field, "--against", other, "--games", 2
    ).output
    assert "because there is no chance in these games" in output
    assert "other wins" in output


def test_a_program_that_breaks_the_rules_is_told_how(field: Path) -> None:
    falls = field.parent / "falls.c"
    falls.write_text("main () { int n = 100; for (;;) make_throw (n--); }\n")
    output = knobeln("practice", falls, "--field", field, "--games", 2).output
    assert "FAILED" not in output  # the reason says it once
    assert (
        "falls failed in 6 games, first against low: throw 2 (99) is lower than throw 1 (100)"
        in output
    )


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        pytest.param(["nobody"], 1, "there is no file nobody", id="no such program"),
        pytest.param(["{bad}"], 1, "expected expression", id="does not compile"),
        pytest.param(
            ["pavlov", "--against", "{bad}"], 1, "expected expression", id="nor the other"
        ),
        pytest.param(["{field}"], 1, "files; a program has one", id="a folder is no program in C"),
        pytest.param(
            ["pavlov", "--field", "{empty}"],
            1,
            "there is no program for KNOBELN in",
            id="empty folder",
        ),
        pytest.param(["pavlov", "--field", "{bad}"], 2, "is a file", id="a file is no folder"),
        pytest.param(["pavlov", "--games", "0"], 2, "--games", id="no game"),
        pytest.param(["pavlov", "--watch"], 2, "--watch needs a file", id="nothing to watch"),
        pytest.param(["pavlov", "--game", "chess"], 1, "no game 'chess'", id="unknown game"),
    ],
)
def test_what_cannot_be_done_is_said(
    words: list[str], code: int, says: str, field: Path, tmp_path: Path
) -> None:
    bad, empty = tmp_path / "bad.c", tmp_path / "empty"
    bad.write_text("main () { int n = ; }\n")
    empty.mkdir()
    filled = [word.format(bad=bad, empty=empty, field=field) for word in words]
    if "--field" not in filled and filled[0] != str(field):
        filled += ["--field", str(field)]
    output = knobeln("practice", *filled, code=code).output
    assert says in output.replace("\n", " "), output


@pytest.mark.slow
def test_programs_that_talk_play_one_game_each_and_say_so() -> None:
    output = knobeln("practice", "--game", "cooperation-legacy", "always_betray").output
    assert "so games take seconds" in output
    assert re.search(r"^\d\ttit_for_tat\t1\t0\t0\t\d+\t\d+\t-", output, re.MULTILINE)
    assert "One game says little where there is chance" in output


def test_a_house_strategy_that_fails_is_told_with_its_reason(tmp_path: Path) -> None:
    init(tmp_path / "c", max_instructions=2_000_000)
    (tmp_path / "low.c").write_text(LOW)
    told = knobeln("practice", tmp_path / "low.c", "-C", tmp_path / "c", "--games", 1)
    without_points = re.findall(r"^-\t(\w+)\t-\t-\t-\t-\t-\t-", told.output, re.MULTILINE)
    assert without_points
    for name in without_points:
        assert f"{name} failed in 1 game, so there are no points in throw" in told.output
        assert "of 1,000: used more than 2,000,000 instructions" in told.output


def init(folder: Path, **programs: int) -> None:
    """Make a contest with these settings of programs."""
    knobeln("init", folder, "--beacon", "none")
    text = (folder / FILE_NAME).read_text()
    for name, value in programs.items():
        text = re.sub(rf"^{name} = .*", f"{name} = {value}", text, flags=re.MULTILINE)
    (folder / FILE_NAME).write_text(text)


def lines_of(process: subprocess.Popen[str]) -> Iterator[str]:
    """What the process writes, line by line; fails after a minute without a line."""
    written: Queue[str] = Queue()
    assert process.stdout
    threading.Thread(
        target=lambda: [written.put(line) for line in process.stdout or ()], daemon=True
    ).start()
    while True:
        yield written.get(timeout=60)


@contextmanager
def watching(*words: object) -> Iterator[tuple[subprocess.Popen[str], Iterator[str]]]:
    """A practice that watches its programs, and the lines that it writes."""
    process = subprocess.Popen(
        # The signal may be ignored here.
        [
            "env",
            "--default-signal=INT",
            sys.executable,
            "-m",
            "knobeln",
            "practice",
            *map(str, words),
            "--watch",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        yield process, lines_of(process)
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_watched_program_plays_again_when_it_is_saved_and_ctrl_c_ends_it(field: Path) -> None:
    mine = field.parent / "mine.c"
    mine.write_text(LOW)
    with watching(mine, "--field", field) as (process, lines):
        assert any("mine won" in line for line in lines)
        mine.write_text("main () { int n = ; }\n")
        assert any("expected expression" in line for line in lines)
        draft = mine.with_suffix(".new")  # as editors save: written elsewhere, then renamed
        draft.write_text(HIGH)
        draft.replace(mine)
        again = next(line for line in lines if "mine won" in line)
        # against the same program, which is in the field as `you`
        assert f"drew {MAX_GAMES} and" in again
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0


@pytest.mark.slow
def test_while_files_are_watched_a_real_difference_is_played_again_with_other_chance(
    field: Path,
) -> None:
    bold = field.parent / "bold.c"
    bold.write_text(LUCKY.replace("next_random (1,", "next_random (6144,"))
    with watching(bold, "--against", field / "lucky.c", "--field", field) as (_, lines):
        said = next(line for line in lines if "and again with other chance" in line)
        wins = re.findall(
            r"lucky wins ([\d,.]+) points a game more than bold \(\+- [\d,.]+, 95 %\)", said
        )
        assert len(set(wins)) == 2
        assert said.endswith(". Both times the difference is real against these opponents.\n")
        bold.write_text(f"{LUCKY}/* a change that changes nothing */\n")
        assert any(line == "Both win the same points in every game.\n" for line in lines)
