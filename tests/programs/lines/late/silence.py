"""Reads every question and answers none."""

import sys

for line in sys.stdin:
    pass
