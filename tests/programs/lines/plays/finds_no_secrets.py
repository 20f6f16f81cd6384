"""Plays only if it gets at nothing: files of the system, of the host, of an opponent; other processes; a network."""

import glob
import os
import socket
import sys

for path in ["/etc/passwd", "/proc/self/maps", "/home", "/root", "/var", "/tmp", "/sys", "/run", "/dev/kmsg"]:
    if os.path.exists(path):
        sys.exit(f"{path} is there")
if glob.glob("/work/*") != [f"/work/{os.path.basename(__file__)}"]:
    sys.exit("there are files of others")
for number in range(1, 5000):
    try:
        os.kill(number, 0)
    except PermissionError:
        pass  # the first process of the box
    except ProcessLookupError:
        continue
    if number > 50:
        sys.exit(f"there is a process {number}")
for address in [("127.0.0.1", 25), ("1.1.1.1", 53)]:
    try:
        socket.create_connection(address, 0.1)
    except OSError:
        continue
    sys.exit("there is a network")
for line in sys.stdin:
    words = line.split()
    if words[0] == "next":
        print(int(words[1]) + 1)
