"""Ultimate Tic-Tac-Toe: nine boards of nine squares; the square of a move decides the board of the
next one.

The rules are those of the Daisy Intelligence Hackathon of 2017 (U1 to U6, U8, U9). We do not follow
the announcement's pseudo-code, which has faults (U15). docs/games/ultimate-tic-tac-toe.md explains
the rules to participants.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from contest.games.drawing import LINES, Drawing, Square, open_lines
from contest.games.game import FaultRule, GameInfo, TextGame, TextProtocol, Words
from contest.games.words import whole_number
from contest.language import gettext, listed, noted

SQUARES = 81
EMPTY, X, O = "0", "1", "2"  # noqa: E741 - the announcement's names for the marks
MARKS = (X, O)  # by seat: seat 0 moves first
SIGNS = ("X", "O")  # as people write them
ANY_BOARD = "9"

_WIN = 100  # points (U9)
_BOARD = 100  # how much more a line of boards is worth than a line of squares


@dataclass(frozen=True)
class Boards:
    """A position. Board b has the squares 9b to 9b + 8 (U1)."""

    squares: str = EMPTY * SQUARES  # '0', '1' = X or '2' = O each
    last: int | None = None  # the square of the last move
    mover: int = 0  # the seat to move
    faults: tuple[int, int] = (0, 0)  # invalid, late and unacceptable moves of each seat


def three_in_a_row(marks: Sequence[str], mark: str) -> bool:
    """Return whether this mark has a line of a 3x3 grid, given as nine marks."""
    return any(all(marks[place] == mark for place in line) for line in LINES)


def board_winner(squares: str, board: int) -> str:
    """Return the winner of this board, X or O; EMPTY if nobody has won it, even if it is full
    (U4)."""
    marks = squares[9 * board : 9 * board + 9]
    return next((mark for mark in MARKS if three_in_a_row(marks, mark)), EMPTY)


def is_closed(squares: str, board: int) -> bool:
    """Return whether nobody can play in this board any more: it is won, or full (U2)."""
    full = EMPTY not in squares[9 * board : 9 * board + 9]
    return full or board_winner(squares, board) != EMPTY


def winners(squares: str) -> str:
    """Return the winner of each board, X, O or EMPTY, as nine characters."""
    return "".join(board_winner(squares, board) for board in range(9))


def forced_board(position: Boards) -> int | None:
    """Return the board in which the next move must be; None if any open board is allowed (U3)."""
    if position.last is None or is_closed(position.squares, position.last % 9):
        return None
    return position.last % 9


def game_winner(position: Boards) -> int | None:
    """Return the seat that has won three boards in a row; None if there is none."""
    boards = winners(position.squares)
    return next((seat for seat, mark in enumerate(MARKS) if three_in_a_row(boards, mark)), None)


def open_squares(position: Boards) -> list[int]:
    """Return the squares in which the mover may play, in ascending order; [] when the game is over.

    They are empty, in boards that are neither won nor full.
    """
    if game_winner(position) is not None:
        return []
    forced = forced_board(position)
    boards = range(9) if forced is None else (forced,)
    return [
        square
        for board in boards
        if not is_closed(position.squares, board)
        for square in range(9 * board, 9 * board + 9)
        if position.squares[square] == EMPTY
    ]


def game_state(position: Boards) -> str:
    """Return the 83 characters for a program: the mark to move, its board or ANY_BOARD, the squares
    (U5)."""
    forced = forced_board(position)
    return MARKS[position.mover] + (ANY_BOARD if forced is None else str(forced)) + position.squares


def why_illegal(position: Boards, square: int) -> str | None:
    """Say why the mover may not play in this square; None if it may."""
    if square in open_squares(position):
        return None
    if not 0 <= square < SQUARES:
        return gettext(
            "there is no square %(square)s, only 0 to %(last)s", square=square, last=SQUARES - 1
        )
    if position.squares[square] != EMPTY:
        return gettext("square %(square)s is taken", square=square)
    forced = forced_board(position)
    if forced is not None and square // 9 != forced:
        return gettext(
            "square %(square)s is in board %(board)s, but the move has to be in board %(forced)s",
            square=square,
            board=square // 9,
            forced=forced,
        )
    return gettext(
        "square %(square)s is in board %(board)s, which is won already",
        square=square,
        board=square // 9,
    )


def _played(position: Boards, square: int) -> Boards:
    squares = position.squares[:square] + MARKS[position.mover] + position.squares[square + 1 :]
    return replace(position, squares=squares, last=square, mover=1 - position.mover)


def _square_at(row: int, column: int) -> int:
    """Return the number of the square in this row and column of the whole field."""
    board = 3 * (row // 3) + column // 3
    return 9 * board + 3 * (row % 3) + column % 3


def _seat_of(mark: str) -> int | None:
    return None if mark == EMPTY else MARKS.index(mark)


class UltimateTicTacToe(TextGame[Boards, int]):
    """The game as the registry knows it.

    `seconds`: T, the time for a move, as we tell it to programs (U5, U13). The runner enforces it.
    """

    info = GameInfo(
        name="ultimate-tic-tac-toe",
        title="Ultimate Tic-Tac-Toe",
        min_seats=2,
        max_seats=2,
        max_turns=SQUARES,
        max_answers=(SQUARES + 1) // 2,
        fault_rule=FaultRule.RANDOM_MOVE,
        protocols=(TextProtocol.ARGV, TextProtocol.FUNCTION),
        has_kit=True,
        turn_word="move",
        summary=noted(
            "Ultimate Tic-Tac-Toe has nine boards of tic-tac-toe, and each move decides on "
            "which board the next one has to be."
        ),
    )

    def __init__(self, seconds: float = 5) -> None:
        self.seconds = int(seconds) if seconds == int(seconds) else seconds

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"seconds": self.seconds}

    def start(self, seats: int) -> Boards:
        return Boards()

    def players_to_move(self, position: Boards) -> frozenset[int]:
        return frozenset((position.mover,)) if open_squares(position) else frozenset()

    def why_illegal(self, position: Boards, seat: int, move: int) -> str | None:
        return why_illegal(position, move)

    def apply(self, position: Boards, moves: Mapping[int, int]) -> Boards:
        return _played(position, moves[position.mover])

    def apply_with_faults(
        self, position: Boards, moves: Mapping[int, int], draw: Callable[[int], int]
    ) -> Boards:
        squares = open_squares(position)
        first, second = (
            count + (seat == position.mover) for seat, count in enumerate(position.faults)
        )
        return _played(replace(position, faults=(first, second)), squares[draw(len(squares))])

    def replacement_move(self, position: Boards, seat: int) -> int | None:
        return position.last

    def points(self, position: Boards) -> tuple[int, ...]:
        """Give 100 for a win, or in a tie 1 for each board won; take 1 off for each fault (U9)."""
        won = self._won(position)
        return tuple(points - faults for points, faults in zip(won, position.faults, strict=True))

    def score(self, position: Boards) -> tuple[int, ...]:
        """Give what the open lines are worth, those of boards a hundred times as much."""
        squares, boards = position.squares, range(9)
        closed = [is_closed(squares, board) for board in boards]
        won = [board_winner(squares, board) if closed[board] else None for board in boards]

        def worth(mark: str) -> int:
            inside = (
                open_lines(squares[9 * board : 9 * board + 9], mark, EMPTY)
                for board in boards
                if not closed[board]
            )
            return _BOARD * open_lines(won, mark, None) + sum(inside)

        return tuple(map(worth, MARKS))

    def drawing(self, position: Boards) -> Drawing:
        """Draw nine by nine squares, board beside board; empty squares show their numbers."""
        won, legal = winners(position.squares), frozenset(open_squares(position))
        squares = [self._square(position, won, legal, square) for square in range(SQUARES)]
        rows = tuple(
            tuple(squares[_square_at(row, column)] for column in range(9)) for row in range(9)
        )
        return Drawing(rows, SIGNS, self._caption(position, won), block=3)

    def _square(self, position: Boards, won: str, legal: Container[int], square: int) -> Square:
        seat = _seat_of(position.squares[square])
        return Square(
            text="" if seat is None else SIGNS[seat],
            seat=seat,
            ground=_seat_of(won[square // 9]),
            small=str(square) if seat is None else "",
            changed=square == position.last,
            legal=square in legal,
        )

    def _caption(self, position: Boards, won: str) -> str:
        boards = listed(
            [f"{sign} {won.count(mark)}" for sign, mark in zip(SIGNS, MARKS, strict=True)]
        )
        if not self.players_to_move(position):
            winner = game_winner(position)
            if winner is None:
                return gettext(
                    "Boards won: %(boards)s. Nobody has three boards in a row.", boards=boards
                )
            return gettext(
                "Boards won: %(boards)s. %(sign)s has won with three boards in a row.",
                boards=boards,
                sign=SIGNS[winner],
            )
        forced, sign = forced_board(position), SIGNS[position.mover]
        if forced is None:
            return gettext(
                "Boards won: %(boards)s. %(sign)s moves next, in any board.",
                boards=boards,
                sign=sign,
            )
        return gettext(
            "Boards won: %(boards)s. %(sign)s moves next, in board %(board)s.",
            boards=boards,
            sign=sign,
            board=forced,
        )

    def _won(self, position: Boards) -> tuple[int, ...]:
        if self.players_to_move(position):
            return 0, 0
        winner = game_winner(position)
        if winner is None:
            return tuple(winners(position.squares).count(mark) for mark in MARKS)
        return tuple(_WIN if seat == winner else 0 for seat in (0, 1))

    def sample_moves(self, position: Boards, seat: int) -> Sequence[int]:
        return open_squares(position)

    def question(self, position: Boards, seat: int, protocol: TextProtocol) -> Words:
        return self.seconds, game_state(position)

    def answer(self, position: Boards, seat: int, text: str) -> int:
        try:
            return whole_number(text.strip())
        except ValueError as error:
            sentence = gettext("the number of a square, 0 to 80, is needed: %(why)s", why=error)
            raise ValueError(sentence) from error
