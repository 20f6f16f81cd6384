"""Plays in the first open square. Arguments: T and the game's state."""

import sys

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def is_won(marks):
    return any(marks[a] == marks[b] == marks[c] != "0" for a, b, c in LINES)


def get_move(T, gamestate):
    forced, squares = gamestate[1], gamestate[2:]
    for square in range(81):
        board = square // 9
        if (
            squares[square] == "0"
            and forced in ("9", str(board))
            and not is_won(squares[9 * board :][:9])
        ):
            return square
    return -1


if __name__ == "__main__":
    print(get_move(float(sys.argv[1]), sys.argv[2]))
