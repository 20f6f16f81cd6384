"""Servers on this host that are measured, each a process of its own."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

DISK = "/var/tmp"  # noqa: S108 - unlike /tmp never in memory
SMTP_SOURCE, SMTP_SINK = (
    shutil.which(name, path="/usr/sbin:/usr/bin") for name in ("smtp-source", "smtp-sink")
)
_TIMEOUT_SECONDS = 30.0


@contextmanager
def running(command: list[str], port: int) -> Iterator[int]:
    """Start the server, and wait until it answers at this port; the id of its process."""
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    end = time.monotonic() + _TIMEOUT_SECONDS
    try:
        while not _answers(port):
            assert time.monotonic() < end, "the server does not start"
            time.sleep(0.02)
        yield process.pid
    finally:
        process.terminate()
        process.wait(_TIMEOUT_SECONDS)


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as client:
            return client.recv(100).startswith(b"220")
    except OSError:
        return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
