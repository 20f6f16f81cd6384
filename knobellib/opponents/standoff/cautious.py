"""cautious - protects itself from who could shoot, and uses the rounds in which nobody beside it
can"""

import sys


def ammo_of(triplet: str) -> int:
    """The middle of 30/2/P."""
    return int(triplet.split("/")[1])


own, *neighbours = sys.argv[1:]
if any(ammo_of(neighbour) > 0 for neighbour in neighbours):
    print("P")
else:
    print("S" if ammo_of(own) > 0 else "R")
