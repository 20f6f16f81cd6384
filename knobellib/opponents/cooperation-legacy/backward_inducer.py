"""backward_inducer - fears the thief of the last round, and the one who fears him: betrays from
round 8 on"""

import sys

PEACEFUL_ROUNDS = 7

other = sys.argv[2].split("/") if len(sys.argv) == 3 else []
betrayed = "B" in other
print("B" if betrayed or len(other) >= PEACEFUL_ROUNDS else "C")
