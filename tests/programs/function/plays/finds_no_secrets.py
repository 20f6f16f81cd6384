"""Plays only if it gets at nothing: the system's files, an opponent's, a network."""

import os
import socket


def get_move(number):
    if any(map(os.path.exists, ("/etc/passwd", "/proc/self", "/home", "/root", "/var", "/tmp"))):
        return -1
    if set(os.listdir("/work")) - {os.path.basename(__file__)}:
        return -2
    try:
        socket.create_connection(("127.0.0.1", 25), 0.1)
    except OSError:
        return number + 1
    return -3
