"""nervous - tit for tat, until the game may be over after any round; then it betrays"""

import sys

CERTAIN_ROUNDS = 10  # a game has 10 to 15


def decisions(argument: str) -> list[str]:
    """The letters of a history like [C,B,C]."""
    return argument.strip("[]").replace(",", " ").split()


other = decisions(sys.argv[2])
this_round = len(other) + 1
if this_round >= CERTAIN_ROUNDS:
    print("B")
else:
    print(other[-1] if other else "C")
