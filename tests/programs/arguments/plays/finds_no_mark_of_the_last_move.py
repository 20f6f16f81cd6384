"""Plays only if a time stamp that one move leaves on a device of the host is gone in the next move."""

import os
import sys
import time

times = [os.stat(f"/dev/{name}").st_mtime for name in ("null", "zero", "full", "random", "urandom", "tty")]
if max(times) - min(times) > 0.2:
    sys.exit(f"there is a mark: {times}")
time.sleep(0.3)
os.utime("/dev/full")
print(int(sys.argv[1]) + 1)
