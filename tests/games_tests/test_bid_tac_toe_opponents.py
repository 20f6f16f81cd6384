"""The sample programs of Bid-Tac-Toe, played through pipes."""

import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

import knobellib
from contest.games.bid_tac_toe import BidTacToe
from contest.games.game import TextProtocol, Words

FOLDER = Path(knobellib.__file__).parent / "opponents" / "bid-tac-toe"
PROGRAMS = [path.name for path in sorted(FOLDER.iterdir()) if path.suffix != ".js" or shutil.which("node")]
Start = Callable[[str], "Program"]


class Program:
    """A program's process, as a contest would have it: one for many games."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(command, text=True, bufsize=1, **pipes)

    def tell(self, words: Words) -> None:
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def say(self) -> str:
        return self.process.stdout.readline()

    def close(self) -> tuple[str, int]:
        """What it still had to say, and its exit code."""
        rest, _ = self.process.communicate(timeout=10)
        return rest, self.process.returncode


@pytest.fixture
def start(command: Callable[[Path], list[str]]) -> Iterator[Start]:
    """Start a program, as often as one wants."""
    started: list[Program] = []

    def start(name: str) -> Program:
        started.append(Program(name, command(FOLDER / name)))
        return started[-1]

    yield start
    for program in started:
        program.process.kill()
        program.process.communicate()


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


def test_every_pair_plays_games_without_a_fault_and_all_end_at_the_end_of_their_input(start: Start) -> None:
    started = {name: start(name) for name in PROGRAMS}
    for first, second in combinations_with_replacement(started, 2):
        twin = start(second) if first == second else started[second]
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
def test_the_better_program_has_most_of_the_points_after_40_games(start, better, worse, at_least) -> None:
    programs = start(better), start(worse)
    assert sum(play(programs)[0] for _ in range(40)) >= at_least


def test_copycat_bids_one_more_than_the_opening_it_saw_last_even_across_games(start: Start) -> None:
    copycat = start("copycat.pl")
    for opponent, bids in (("rebecca111", range(9, 0, -1)), ("somebody", [0] * 9)):
        copycat.tell(("newgame", opponent))
        copycat.say()
        copycat.tell(("gameover", *bids))
    copycat.tell(("newgame", "rebecca111"))
    assert copycat.say() == "10 9 8 7 6 5 4 3 2\n"


def test_even_hand_shares_its_rest_among_the_squares_that_tied(start: Start) -> None:
    even_hand = start("even_hand.sh")
    even_hand.tell(("newgame", "rebecca111"))
    assert even_hand.say() == "11 11 11 11 11 11 11 11 11\n"
    even_hand.tell(("nextround", 11, 11, 11, 11, 0, 0, 20, 20, 20))
    assert even_hand.say() == "19 19 19 19 0 0 0 0 0\n"


def test_line_builder_breaks_the_opponents_line_when_it_has_none_of_its_own(start: Start) -> None:
    builder = start("line_builder.js")
    builder.tell(("newgame", "rebecca111"))
    assert builder.say() == "0 0 34 0 33 0 33 0 0\n"
    builder.tell(("nextround", 40, 0, 35, 0, 0, 0, 0, 0, 0))  # theirs 1, 3; ours 5, 7; all others tied
    assert builder.say() == "0 0 0 17 0 17 0 0 0\n"
    builder.tell(("nextround", 0, 0, 0, 18, 0, 20, 0, 0, 0))  # theirs 4 and 6, too
    assert builder.say() == "0 0 0 0 0 0 0 17 17\n"
    builder.tell(("nextround", 0, 0, 0, 0, 0, 0, 0, 18, 17))  # theirs 8; 1-2-3 and 3-6-9 want one square each
    assert builder.say() == "0 34 0 0 0 0 0 0 0\n"
