"""The sample programs of Ultimate Tic-Tac-Toe: asked with arguments, or, in Python, as a
function."""

import runpy
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import knobellib
from contest.games.game import TextProtocol
from contest.games.ultimate_tic_tac_toe import Boards, UltimateTicTacToe, open_squares

FOLDER = Path(knobellib.__file__).parent / "opponents" / "ultimate-tic-tac-toe"
PROGRAMS = sorted(path.name for path in FOLDER.iterdir() if path.is_file())
# Those that see a line when there is one.
THINKING = ["alpha_beta.c", "board_taker.pl", "host.py", "playouts.js"]

GAME = UltimateTicTacToe(seconds=0.06)

Player = Callable[[Boards], str]  # the answer in a position


@pytest.fixture
def player(command: Callable[[Path], list[str]]) -> Callable[[str], Player]:
    def make(name: str) -> Player:
        path = FOLDER / name
        return _function(path) if path.suffix == ".py" else _command(command(path))

    return make


def _function(path: Path) -> Player:
    get_move = runpy.run_path(str(path))["get_move"]

    def player(position: Boards) -> str:
        move = get_move(*GAME.question(position, position.mover, TextProtocol.FUNCTION))
        assert type(move) is int
        return str(move)

    return player


def _command(command: list[str]) -> Player:
    def player(position: Boards) -> str:
        words = GAME.question(position, position.mover, TextProtocol.ARGV)
        arguments = [*command, *map(str, words)]
        return subprocess.run(
            arguments, check=True, capture_output=True, text=True, timeout=10
        ).stdout

    return player


def _move(player: Player, position: Boards) -> int:
    move = GAME.answer(position, position.mover, player(position))
    assert GAME.why_illegal(position, position.mover, move) is None
    return move


_PATTERNS = [
    "111000000",
    "000222000",
    "121122211",
    "021122211",
    "110000000",
    "000220000",
    "000000000",
]


def _boards(letters: str, last: int, mover: int) -> Boards:
    """Boards as letters: won by X or O, Full, Nearly full, x and o with two in a row, empty."""
    patterns = dict(zip("XOFNxo.", _PATTERNS, strict=True))
    return Boards("".join(patterns[letter] for letter in letters.replace(" ", "")), last, mover)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(
    ("position", "square"),
    [
        (_boards("XOX XOO OXN", last=8, mover=0), 72),  # sent to the one open board
        # sent to a won board, and only one square is open
        (_boards("XOX XOO OXN", last=0, mover=1), 72),
        # won boards have empty squares; none of them is open
        (_boards("NOF XOO OXX", last=3, mover=1), 0),
    ],
)
def test_every_program_finds_the_only_open_square(
    player: Callable[[str], Player], name: str, position: Boards, square: int
) -> None:
    assert open_squares(position) == [square]
    assert _move(player(name), position) == square


@pytest.mark.parametrize("name", THINKING)
@pytest.mark.parametrize(
    ("position", "square"),
    [
        (_boards("XXx ... .OO", last=2, mover=0), 20),
        (_boards("XXx ... .OO", last=0, mover=0), 20),
        (_boards("OOo XX. ...", last=2, mover=1), 23),
    ],
)
def test_programs_that_think_take_the_board_that_wins_the_game(
    player: Callable[[str], Player], name: str, position: Boards, square: int
) -> None:
    assert 100 in GAME.points(GAME.apply(position, {position.mover: square}))
    assert _move(player(name), position) == square


# They take chances themselves: the usual is 8 and 10, and less than 7 was never seen.
