"""random_mover - any open square

A Python program: get_move is called for each move. It finds the open squares by the rules and takes
one of them by chance.
"""

import random

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def is_won(marks):
    return any(marks[a] == marks[b] == marks[c] != "0" for a, b, c in LINES)


def open_squares(gamestate):
    forced, squares = gamestate[1], gamestate[2:]
    boards = range(9) if forced == "9" else [int(forced)]
    playable = [board for board in boards if not is_won(squares[9 * board : 9 * board + 9])]
    return [s for board in playable for s in range(9 * board, 9 * board + 9) if squares[s] == "0"]


def get_move(T, gamestate):
    return random.choice(open_squares(gamestate))
