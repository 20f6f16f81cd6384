"""The rules of Ultimate Tic-Tac-Toe, and random games against a second judge."""

import random
from collections.abc import Sequence
from itertools import chain, combinations

import pytest

from contest.games.game import TextProtocol
from contest.games.ultimate_tic_tac_toe import (
    EMPTY,
    Boards,
    UltimateTicTacToe,
    open_squares,
    why_illegal,
)
from contest.testing import check_game

GAME = UltimateTicTacToe()

# Boards as letters: won by X or O, Full and won by nobody, x and o with two in a row, Nearly full,
# empty.
PATTERNS = {
    "X": "111000000",
    "O": "000222000",
    "F": "121122211",
    "x": "110000000",
    "o": "000220000",
    "N": "021122211",
    ".": "000000000",
}


def boards(
    letters: str, last: int | None = None, mover: int = 0, faults: tuple[int, int] = (0, 0)
) -> Boards:
    return Boards(
        "".join(PATTERNS[letter] for letter in letters.replace(" ", "")), last, mover, faults
    )


def play(squares: Sequence[int]) -> Boards:
    position = GAME.start(2)
    for square in squares:
        assert GAME.why_illegal(position, position.mover, square) is None
        position = GAME.apply(position, {position.mover: square})
    return position


# Boards


# Where one may play


@pytest.mark.parametrize(
    ("position", "square", "sentence"),
    [
        (GAME.start(2), 81, "there is no square 81, only 0 to 80"),
        (GAME.start(2), -1, "there is no square -1, only 0 to 80"),
        (play([40]), 40, "square 40 is taken"),
        (play([40]), 0, "square 0 is in board 0, but the move has to be in board 4"),
        (boards("X.. ... ...", last=9), 3, "square 3 is in board 0, which is won already"),
        (
            boards("X.. ... ...", last=10),
            3,
            "square 3 is in board 0, but the move has to be in board 1",
        ),
    ],
)
def test_forbidden_moves_are_refused_with_what_is_wrong(
    position: Boards, square: int, sentence: str
) -> None:
    assert why_illegal(position, square) == sentence


def test_exactly_the_open_squares_are_allowed() -> None:
    for position in (GAME.start(2), play([40]), play([0, 4, 36]), boards("XOF xo. N..", last=0)):
        allowed = [square for square in range(-5, 90) if why_illegal(position, square) is None]
        assert allowed == open_squares(position)


# The end


@pytest.mark.parametrize(
    ("letters", "points"),
    [
        ("XXX OO. ...", (100, 0)),
        ("O.. XOX .XO", (0, 100)),
        ("XO. XO. XF.", (100, 0)),
        ("..O XOX OX.", (0, 100)),
        ("XOX XOO OXF", (4, 4)),
        ("FFF FFF FFF", (0, 0)),
        ("XXO FFX XOF", (4, 2)),
        ("XFX FFF FFF", (2, 0)),
    ],
)
def test_three_boards_in_a_row_win_100_points_in_a_tie_each_board_counts_one_and_drawn_ones_nothing(
    letters: str, points: tuple[int, int]
) -> None:
    position = boards(letters, last=80)
    assert GAME.players_to_move(position) == frozenset()
    assert GAME.points(position) == points


# Faults


@pytest.mark.parametrize("index", [0, 3, 7])
def test_a_fault_costs_a_point_and_a_drawn_move_is_made(index: int) -> None:
    position, limits = play([40]), []

    def draw(limit: int) -> int:
        limits.append(limit)
        return index

    after = GAME.apply_with_faults(position, {}, draw)
    square = [36, 37, 38, 39, 41, 42, 43, 44][index]
    assert after.squares == position.squares[:square] + "2" + position.squares[square + 1 :]
    assert (after.last, after.mover, after.faults, limits) == (square, 0, (0, 1), [8])
    assert GAME.points(after) == (0, -1)


def test_penalties_are_taken_off_the_winner_and_in_ties_too() -> None:
    assert GAME.points(boards("XXX OO. ...", 80, faults=(3, 1))) == (97, -1)
    assert GAME.points(boards("XOX XOO OXF", 80, faults=(0, 5))) == (4, -1)


def test_a_game_of_faults_alone_ends_and_every_move_was_allowed() -> None:
    chooser, position, moves = random.Random(7), GAME.start(2), 0  # noqa: S311 - a repeatable walk
    while GAME.players_to_move(position):
        following = GAME.apply_with_faults(position, {}, chooser.randrange)
        assert following.last in open_squares(position)
        position, moves = following, moves + 1
    assert sum(position.faults) == moves
    assert abs(position.faults[0] - position.faults[1]) <= 1


# What programs are told, and what they answer


def test_the_game_state_has_83_characters() -> None:
    assert GAME.question(GAME.start(2), 0, TextProtocol.ARGV) == (5, "19" + "0" * 81)
    assert GAME.question(play([40]), 1, TextProtocol.FUNCTION) == (
        5,
        "24" + "0" * 40 + "1" + "0" * 40,
    )
    told = "10" + "0" * 36 + "2" + "000" + "1" + "0" * 40
    assert GAME.question(play([40, 36]), 0, TextProtocol.ARGV) == (5, told)


@pytest.mark.parametrize(("seconds", "word"), [(5, "5"), (5.0, "5"), (0.25, "0.25"), (2.5, "2.5")])
def test_a_whole_number_of_seconds_is_told_without_a_point(seconds: float, word: str) -> None:
    (told, _) = UltimateTicTacToe(seconds).question(GAME.start(2), 0, TextProtocol.ARGV)
    assert str(told) == word


@pytest.mark.parametrize(
    ("text", "square"),
    [("40", 40), ("40\n", 40), (" 40\r\n", 40), ("007", 7), ("-1", -1), ("81", 81)],
)
def test_a_whole_number_is_read(text: str, square: int) -> None:
    assert GAME.answer(GAME.start(2), 0, text) == square


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "40.0",
        "4e1",
        "true",
        '"40"',
        "None",
        "40 41",
        "move: 40",
        "debug\n40",
        "\ufeff40",
        "٣",
        "9" * 5000,
    ],
)
def test_anything_else_is_refused_with_what_is_needed(text: str) -> None:
    needed = r"the number of a square, 0 to 80, is needed: .* is no whole number"
    with pytest.raises(ValueError, match=needed):
        GAME.answer(GAME.start(2), 0, text)


# The registry's view


@pytest.mark.slow
def test_random_games_keep_the_promises_of_games() -> None:
    check_game(GAME, games=10)


# The picture


def test_a_square_is_drawn_in_its_board() -> None:
    numbers = [[int(square.small) for square in row] for row in GAME.drawing(GAME.start(2)).rows]
    assert numbers[0] == [0, 1, 2, 9, 10, 11, 18, 19, 20]
    assert numbers[4] == [30, 31, 32, 39, 40, 41, 48, 49, 50]
    assert numbers[8] == [60, 61, 62, 69, 70, 71, 78, 79, 80]
    assert sorted(chain.from_iterable(numbers)) == list(range(81))


def test_the_picture_shows_signs_won_boards_the_last_move_and_who_moves_where() -> None:
    drawn = GAME.drawing(Boards("111" + "0" * 75 + "220", last=79, mover=0))
    assert [[square.text for square in row] for row in (drawn.rows[0], drawn.rows[8])] == [
        ["X", "X", "X", *[""] * 6],
        [*[""] * 6, "O", "O", ""],
    ]
    assert [number for number, square in enumerate(drawn.squares) if square.ground == 0] == [
        9 * row + column for row in range(3) for column in range(3)
    ]
    assert [number for number, square in enumerate(drawn.squares) if square.changed] == [79]
    assert drawn.caption == "Boards won: X 1 and O 0. X moves next, in board 7."
    anywhere = GAME.drawing(Boards("111" + "0" * 75 + "202", last=72, mover=0))
    assert anywhere.caption.endswith("X moves next, in any board.")
    over = GAME.drawing(Boards("111000000" * 3 + EMPTY * 54, last=0, mover=1))
    assert over.caption == "Boards won: X 3 and O 0. X has won with three boards in a row."


# A second judge, which knows nothing but the moves of a game

# three places are in a row just when their numbers add up to 15
_MAGIC = (2, 7, 6, 9, 5, 1, 4, 3, 8)


def has_row(places: set[int]) -> bool:
    return any(sum(_MAGIC[place] for place in three) == 15 for three in combinations(places, 3))


class Judge:
    """A board-by-board record of a game, kept move by move in sets."""

    def __init__(self) -> None:
        self.places = {(seat, board): set[int]() for seat in (0, 1) for board in range(9)}
        self.closed: set[int] = set()
        self.won: tuple[set[int], set[int]] = (set(), set())
        self.moves: list[int] = []

    def move(self, square: int) -> None:
        seat, (board, place) = len(self.moves) % 2, divmod(square, 9)
        self.moves.append(square)
        self.places[seat, board].add(place)
        if has_row(self.places[seat, board]):
            self.won[seat].add(board)
            self.closed.add(board)
        if len(self.places[0, board]) + len(self.places[1, board]) == 9:
            self.closed.add(board)

    def allowed(self) -> set[int]:
        if any(has_row(boards) for boards in self.won):
            return set()
        free = {s for s in range(81) if s not in self.moves and s // 9 not in self.closed}
        return {s for s in free if self.moves and s // 9 == self.moves[-1] % 9} or free

    def points(self) -> tuple[int, int]:
        rows = [has_row(boards) for boards in self.won]
        if True in rows:
            return (100, 0) if rows[0] else (0, 100)
        return len(self.won[0]), len(self.won[1])


@pytest.mark.parametrize("seed", range(60))
def test_random_games_are_judged_alike_by_a_second_judge(seed: int) -> None:
    chooser = random.Random(seed)  # noqa: S311 - a repeatable walk, no secret
    position, judge = GAME.start(2), Judge()
    while GAME.players_to_move(position):
        assert set(GAME.sample_moves(position, position.mover)) == judge.allowed()
        square = chooser.choice(open_squares(position))
        position = GAME.apply(position, {position.mover: square})
        judge.move(square)
    assert judge.allowed() == set()
    assert GAME.points(position) == judge.points()
