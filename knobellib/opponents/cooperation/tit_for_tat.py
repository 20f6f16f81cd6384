"""tit_for_tat - begins friendly, and from then on does what the other did last"""

import sys


def decisions(argument: str) -> list[str]:
    """The letters of a history like [C,B,C]."""
    return argument.strip("[]").replace(",", " ").split()


other = decisions(sys.argv[2])
print(other[-1] if other else "C")
