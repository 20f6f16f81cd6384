"""The sample programs of Bid-Tac-Toe, played through pipes."""

import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

import knobellib
from contest.games.bid_tac_toe import BidTacToe
from contest.games.game import TextProtocol, Words

FOLDER = Path(knobellib.__file__).parent / "opponents" / "bid-tac-toe"
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
            assert game.why_illegal(board, seat, bids[seat]) is None, (
                programs[seat].name,
                bids,
                board,
            )
        board = game.apply(board, bids)
    for seat in (0, 1):
        programs[seat].tell(game.game_over_message(board, seat))
    return game.points(board)


@pytest.mark.parametrize(
    # half points of 80; chance plays along, so there is room to the usual
    ("better", "worse", "at_least"),
    [
        ("regret_matcher.c", "random_bidder.py", 42),
        ("bookkeeper.py", "even_hand.sh", 70),
        ("copycat.pl", "even_hand.sh", 70),
    ],
)
def test_the_better_program_has_most_of_the_points_after_40_games(
    start: Start, better: str, worse: str, at_least: int
) -> None:
    programs = start(better), start(worse)
    assert sum(play(programs)[0] for _ in range(40)) >= at_least
