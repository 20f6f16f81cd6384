"""Does what the other did in the last round. Arguments: [C,B] [C,C], its own decisions and the
other's."""

import sys

other = sys.argv[2].strip("[]")
print(other[-1] if other else "C")
