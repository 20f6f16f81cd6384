"""What the supervisor is told that started us, such as systemd: datagrams to its socket (sd_notify(3)).

Without one, which is without NOTIFY_SOCKET in the environment, nobody is told anything.
"""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress

READY = "READY=1"
STOPPING = "STOPPING=1"
_ALIVE = "WATCHDOG=1"


class Supervisor:
    """For one thread. Does not fail: a supervisor that is gone is nothing to stop work for."""

    def __init__(self) -> None:
        self._address = os.environ.get("NOTIFY_SOCKET", "")
        self._pause = _watchdog_seconds() / 2
        self._told_at = time.monotonic()

    def tell(self, *words: str) -> None:
        """Such as READY, or `STATUS=...` in words for people."""
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.settimeout(1)
            sender.sendto("\n".join(words).encode(), address)

    def alive(self) -> None:
        """To be called all the time while all is well; says so as often as the supervisor wants it."""
        if self._pause and time.monotonic() - self._told_at >= self._pause:
            self._told_at = time.monotonic()
            self.tell(_ALIVE)


def _watchdog_seconds() -> float:
    """Within which we must be heard of; 0: nobody waits for that, or not for this process."""
    if os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return 0
    wanted = os.environ.get("WATCHDOG_USEC", "")
    return int(wanted) / 1e6 if wanted.isdecimal() else 0
