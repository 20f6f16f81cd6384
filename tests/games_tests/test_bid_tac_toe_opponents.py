"""The sample programs of Bid-Tac-Toe, played through pipes."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

import knobellib
from contest.games.bid_tac_toe import BidTacToe
from contest.games.game import TextProtocol, Words

FOLDER = Path(knobellib.__file__).parent / "opponents" / "bid-tac-toe"
PAGE = Path(__file__).parents[2] / "docs" / "games" / "bid-tac-toe.md"
PROGRAMS = sorted(path.name for path in FOLDER.iterdir() if path.is_file())

_INTERPRETERS = {".py": "python3", ".pl": "perl", ".sh": "sh", ".js": "node"}


class Program:
    """A program's process, as a contest would have it: one for many games."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def tell(self, words: Words) -> None:
        assert self.process.stdin
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def say(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline()

    def close(self) -> tuple[str, int]:
        """What it still had to say, and its exit code."""
        rest, _ = self.process.communicate(timeout=10)
        return rest, self.process.returncode


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("opponents")
    for source in FOLDER.glob("*.c"):
        flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"]
        subprocess.run(["gcc", *flags, "-o", folder / source.stem, source], check=True)
    return folder


@pytest.fixture
def started(compiled: Path) -> Iterator[dict[str, Program]]:
    """A process of each program whose language is installed."""
    programs = {name: Program(name, command(name, compiled)) for name in PROGRAMS if is_installed(name)}
    yield programs
    for program in programs.values():
        program.process.kill()
        program.process.communicate()


def is_installed(name: str) -> bool:
    return shutil.which(_INTERPRETERS.get(Path(name).suffix, "gcc")) is not None


def command(name: str, compiled: Path) -> list[str]:
    path = FOLDER / name
    return [str(compiled / path.stem)] if path.suffix == ".c" else [_INTERPRETERS[path.suffix], str(path)]


def play(programs: Sequence[Program]) -> tuple[int, ...]:
    """The points of a game in which every bid must be allowed."""
    game = BidTacToe((programs[0].name, programs[1].name))
    board = game.start(2)
    while game.players_to_move(board):
        for seat in (0, 1):
            programs[seat].tell(game.question(board, seat, TextProtocol.STDIO))
        bids = {seat: game.answer(board, seat, programs[seat].say()) for seat in (0, 1)}
        for seat in (0, 1):
            assert game.why_illegal(board, seat, bids[seat]) is None, (programs[seat].name, bids, board)
        board = game.apply(board, bids)
    for seat in (0, 1):
        programs[seat].tell(game.game_over_message(board, seat))
    return game.points(board)


def test_there_are_programs_in_five_languages() -> None:
    assert {Path(name).suffix for name in PROGRAMS} == {".c", ".js", ".pl", ".py", ".sh"}
    assert len(PROGRAMS) >= 5


def test_the_games_page_names_every_program_and_no_other() -> None:
    named = re.findall(r"^\| `(\w+\.\w+)` \|", PAGE.read_text(), re.MULTILINE)
    assert sorted(name for name in named if name[0].isalpha()) == PROGRAMS


def test_every_pair_plays_games_without_a_fault_and_all_end_at_the_end_of_their_input(
    started: dict[str, Program], compiled: Path
) -> None:
    for first, second in combinations_with_replacement(started, 2):
        twin = Program(second, command(second, compiled)) if first == second else started[second]
        for _ in range(5):
            assert play((started[first], twin)) in {(2, 0), (1, 1), (0, 2)}
        if first == second:
            assert twin.close() == ("", 0)
    assert [program.close() for program in started.values()] == [("", 0)] * len(started)


@pytest.mark.parametrize(
    ("better", "worse", "at_least"),  # half points of 80; chance plays along, so there is room to the usual
    [
        ("regret_matcher.c", "random_bidder.py", 42),
        ("regret_matcher.c", "even_hand.sh", 50),
        ("bookkeeper.py", "even_hand.sh", 70),
        ("copycat.pl", "even_hand.sh", 70),
    ],
)
def test_the_better_program_has_most_of_the_points_after_40_games(
    started: dict[str, Program], better: str, worse: str, at_least: int
) -> None:
    assert sum(play((started[better], started[worse]))[0] for _ in range(40)) >= at_least


def test_copycat_bids_one_more_than_the_opening_it_saw_last_even_across_games(
    started: dict[str, Program],
) -> None:
    copycat = started["copycat.pl"]
    for opponent in ("rebecca111", "somebody"):
        copycat.tell(("newgame", opponent))
        copycat.say()
        copycat.tell(
            ("gameover", 9, 8, 7, 6, 5, 4, 3, 2, 1) if opponent == "rebecca111" else ("gameover", *[0] * 9)
        )
    copycat.tell(("newgame", "rebecca111"))
    assert copycat.say() == "10 9 8 7 6 5 4 3 2\n"


def test_even_hand_shares_its_rest_among_the_squares_that_tied(started: dict[str, Program]) -> None:
    even_hand = started["even_hand.sh"]
    even_hand.tell(("newgame", "rebecca111"))
    assert even_hand.say() == "11 11 11 11 11 11 11 11 11\n"
    even_hand.tell(("nextround", 11, 11, 11, 11, 0, 0, 20, 20, 20))
    assert even_hand.say() == "19 19 19 19 0 0 0 0 0\n"


def test_line_builder_breaks_the_opponents_line_when_it_has_none_of_its_own(
    started: dict[str, Program],
) -> None:
    if "line_builder.js" not in started:
        pytest.skip("node is not installed")
    builder = started["line_builder.js"]
    builder.tell(("newgame", "rebecca111"))
    assert builder.say() == "0 0 34 0 33 0 33 0 0\n"
    builder.tell(("nextround", 40, 0, 35, 0, 0, 0, 0, 0, 0))  # theirs 1, 3; ours 5, 7; all others tied
    assert builder.say() == "0 0 0 17 0 17 0 0 0\n"
    builder.tell(("nextround", 0, 0, 0, 18, 0, 20, 0, 0, 0))  # theirs 4 and 6, too
    assert builder.say() == "0 0 0 0 0 0 0 17 17\n"
    builder.tell(("nextround", 0, 0, 0, 0, 0, 0, 0, 18, 17))  # theirs 8; 1-2-3 and 3-6-9 want one square each
    assert builder.say() == "0 34 0 0 0 0 0 0 0\n"
