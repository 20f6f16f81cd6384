"""Whole games as text for people, in `playthroughs/`, compared byte for byte.

Run as a program, this file writes them anew; read the difference before you commit it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from contest.games.bid_tac_toe import BidTacToe, Board
from contest.games.game import TextGame
from contest.games.ultimate_tic_tac_toe import (
    MARKS,
    Boards,
    UltimateTicTacToe,
    board_winner,
    open_squares,
    winners,
)

FOLDER = Path(__file__).parent / "playthroughs"

Programs = Callable[[Any, int], str]  # what the program of a seat answers in a position


def playthrough(game: TextGame[Any, Any], programs: Programs, draw: Callable[[int], int]) -> str:
    """Every question, every answer, what the rules say to it, and the position after it."""
    return "\n".join(_playthrough(game, programs, draw)) + "\n"


def _playthrough(game: TextGame[Any, Any], programs: Programs, draw: Callable[[int], int]) -> Iterator[str]:
    position, dialogue = game.start(2), game.info.protocols[0]
    yield f"{game.info.title}, by {dialogue}"
    while players_to_move := sorted(game.players_to_move(position)):
        answers = {seat: programs(position, seat) for seat in players_to_move}
        complaints = {seat: _complaint(game, position, seat, answers[seat]) for seat in players_to_move}
        yield ""
        for seat in players_to_move:
            yield f"told {seat}: {_text(game.question(position, seat, dialogue))}"
            yield f"said {seat}: {answers[seat]}"
            if complaints[seat] is not None:
                yield f"fault of {seat}: {complaints[seat]}"
        fine = [seat for seat in players_to_move if complaints[seat] is None]
        moves = {seat: game.answer(position, seat, answers[seat]) for seat in fine}
        after = (
            game.apply(position, moves)
            if fine == players_to_move
            else game.apply_with_faults(position, moves, draw)
        )
        position = after
        yield from _picture(position)
        yield f"points: {_text(game.points(position))}"
    yield ""
    for seat in (0, 1):
        yield f"told {seat}: {_text(game.game_over_message(position, seat)) or '(nothing)'}"


def _complaint(game: TextGame[Any, Any], position: Any, seat: int, answer: str) -> str | None:
    try:
        return game.why_illegal(position, seat, game.answer(position, seat, answer))
    except ValueError as error:
        return str(error)


def _text(words: tuple[str | int | float, ...]) -> str:
    return " ".join(map(str, words))


def _picture(position: Board | Boards) -> Iterator[str]:
    yield from _bids_picture(position) if isinstance(position, Board) else _boards_picture(position)


def _bids_picture(board: Board) -> Iterator[str]:
    marks = ["." if owner is None else str(owner) for owner in board.owners]
    yield from (" ".join(marks[first : first + 3]) for first in (0, 3, 6))
    yield f"bankrolls: {_text(board.bankrolls)}"
    yield f"rounds without a change: {board.unchanged}"


def _boards_picture(position: Boards) -> Iterator[str]:
    for row in range(9):
        starts = [9 * board + 3 * (row % 3) for board in range(3 * (row // 3), 3 * (row // 3) + 3)]
        yield _marks(" ".join(position.squares[start : start + 3] for start in starts))
    yield f"last: {position.last}, boards: {_marks(winners(position.squares))}"


def _marks(squares: str) -> str:
    return squares.translate(str.maketrans("012", ".XO"))


# The games


def _no_draw(_limit: int) -> int:
    raise AssertionError("this game draws no lots")


def _bidders(*rounds: tuple[str, str]) -> Programs:
    turns = iter(rounds)
    current: dict[int, str] = {}

    def programs(_board: Board, seat: int) -> str:
        if seat == 0:
            current.update(enumerate(next(turns)))
        return current[seat]

    return programs


def bid_tac_toe_example() -> str:
    """The announcement's example, but for Rebecca's second bid for square 3, which was more than she had."""
    programs = _bidders(
        ("2 4 2 4 10 4 2 4 2", "2 7 2 14 2 1 6 4 2"),
        ("25 0 25 0 0 0 0 0 30", "25 0 4 0 0 0 0 13 31"),
        ("61 0 0 0 0 0 0 0 0", "29 0 0 0 0 0 0 0 0"),
    )
    return playthrough(BidTacToe(("MarkMcLovin", "rebecca111")), programs, _no_draw)


def bid_tac_toe_example_as_announced() -> str:
    """The announcement's example to the letter: the second bids are illegal, and the game is lost."""
    programs = _bidders(
        ("2 4 2 4 10 4 2 4 2", "2 7 2 14 2 1 6 4 2"),
        ("25 0 25 0 0 0 0 0 30", "25 0 17 0 0 0 0 13 31"),
    )
    return playthrough(BidTacToe(("MarkMcLovin", "rebecca111")), programs, _no_draw)


def ultimate_tic_tac_toe() -> str:
    """Both take a board when they can, and move by chance else; now and then one answers nonsense."""
    chooser = random.Random(3)  # noqa: S311 - a repeatable walk, no secret

    def programs(position: Boards, seat: int) -> str:
        if chooser.random() < 0.1:
            return chooser.choice(["", "81", "centre", "40.0", "4 4"])
        squares = open_squares(position)
        taking = [square for square in squares if _takes(position, seat, square)]
        return str(chooser.choice(taking or squares))

    return playthrough(UltimateTicTacToe(), programs, chooser.randrange)


def _takes(position: Boards, seat: int, square: int) -> bool:
    squares = position.squares[:square] + MARKS[seat] + position.squares[square + 1 :]
    return board_winner(squares, square // 9) == MARKS[seat]


PLAYTHROUGHS = (bid_tac_toe_example, bid_tac_toe_example_as_announced, ultimate_tic_tac_toe)


@pytest.mark.parametrize("play", PLAYTHROUGHS, ids=lambda play: play.__name__)
def test_the_game_is_the_one_in_the_file(play: Callable[[], str]) -> None:
    file = FOLDER / f"{play.__name__}.txt"
    assert play().encode() == file.read_bytes()


if __name__ == "__main__":
    for play in PLAYTHROUGHS:
        (FOLDER / f"{play.__name__}.txt").write_bytes(play().encode())
