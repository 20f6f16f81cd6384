"""host - mind where you send your guest

A Python program: get_move is called for each move. It looks two moves ahead: a move is worth what
it takes, less what the opponent could take in answer to it. Boards count by their place (the centre
is in four lines, a corner in three), and sending the opponent to where it may choose any square
costs something.
"""

import random

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
WORTH = [3, 2, 3, 2, 4, 2, 3, 2, 3]  # in how many lines a board, or a square, is
GAME = 10000
BOARD = 20
FREEDOM = 15


def winner(marks):
    for a, b, c in LINES:
        if marks[a] == marks[b] == marks[c] != "0":
            return marks[a]
    return "0"


def board_of(squares, board):
    return squares[9 * board : 9 * board + 9]


def is_closed(squares, board):
    marks = board_of(squares, board)
    return "0" not in marks or winner(marks) != "0"


def open_squares(forced, squares):
    boards = [b for b in range(9) if forced in ("9", str(b)) and not is_closed(squares, b)]
    return [s for b in boards for s in range(9 * b, 9 * b + 9) if squares[s] == "0"]


def gain(squares, square, me):
    """What this move takes, and the squares after it."""
    board, place = divmod(square, 9)
    after = squares[:square] + me + squares[square + 1 :]
    marks = board_of(after, board)
    value = WORTH[place]
    if winner(marks) == me:
        boards = "".join(winner(board_of(after, b)) for b in range(9))
        value = GAME if winner(boards) == me else BOARD * WORTH[board]
    elif (
        winner(board_of(squares[:square] + {"1": "2", "2": "1"}[me] + squares[square + 1 :], board))
        != "0"
    ):
        value += BOARD * WORTH[board] // 2  # it would have been the opponent's next
    return value, after


def loss(squares, square, them):
    """What the opponent can take after our move at this square."""
    forced = "9" if is_closed(squares, square % 9) else str(square % 9)
    answers = open_squares(forced, squares)
    best = max((gain(squares, answer, them)[0] for answer in answers), default=0)
    return best + (FREEDOM if forced == "9" else 0)


def value(squares, square, me):
    won, after = gain(squares, square, me)
    return won if won == GAME else won - loss(after, square, {"1": "2", "2": "1"}[me])


def get_move(T, gamestate):
    me, forced, squares = gamestate[0], gamestate[1], gamestate[2:]
    moves = open_squares(forced, squares)
    random.shuffle(moves)
    return max(moves, key=lambda square: value(squares, square, me))
