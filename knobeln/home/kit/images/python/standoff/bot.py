"""Shoots while it has ammunition, then reloads. Arguments: 20/1/P 20/0/N 16/2/R, its own state
first."""

import sys

ammunition = int(sys.argv[1].split("/")[1])
print("S" if ammunition > 0 else "R")
