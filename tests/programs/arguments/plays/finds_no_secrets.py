"""Plays only if it gets at nothing: the system's files, the referee, an opponent, a network."""

import os
import socket
import sys

for path in ("/etc/passwd", "/proc/self", "/home", "/root", "/var", "/tmp", "/run"):
    if os.path.exists(path):
        sys.exit(f"{path} is there")
if os.listdir("/work") != [os.path.basename(__file__)]:
    sys.exit("there are files of others")
try:
    socket.create_connection(("127.0.0.1", 25), 0.1)
    sys.exit("there is a network")
except OSError:
    print(int(sys.argv[1]) + 1)
