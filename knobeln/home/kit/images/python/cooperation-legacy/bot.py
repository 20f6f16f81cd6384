"""Does what the other did in the last round. Arguments: C/B C/C, its own decisions and the other's;
at first none."""

import sys

print(sys.argv[2][-1] if len(sys.argv) > 1 else "C")
