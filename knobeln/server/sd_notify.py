"""Messages to the service manager that started us, such as systemd (sd_notify(3)).

They are datagrams to its socket. Without NOTIFY_SOCKET in the environment nothing is sent.
"""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress

READY = "READY=1"
STOPPING = "STOPPING=1"
_ALIVE = "WATCHDOG=1"


class ServiceManager:
    """For one thread. It never raises: a lost service manager is no reason to stop work."""

    def __init__(self) -> None:
        self._address = os.environ.get("NOTIFY_SOCKET", "")
        self._pause = _watchdog_seconds() / 2
        self._notified_at = time.monotonic()

    def notify(self, *assignments: str) -> None:
        """Send assignments such as READY, or `STATUS=...` with text for people."""
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.settimeout(1)
            sender.sendto("\n".join(assignments).encode(), address)

    def alive(self) -> None:
        """Call this all the time while all is well. It notifies as often as the watchdog wants."""
        if self._pause and time.monotonic() - self._notified_at >= self._pause:
            self._notified_at = time.monotonic()
            self.notify(_ALIVE)


def _watchdog_seconds() -> float:
    """Return the watchdog's timeout; 0 if there is none, or none for this process."""
    if os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return 0
    wanted = os.environ.get("WATCHDOG_USEC", "")
    return int(wanted) / 1e6 if wanted.isdecimal() else 0
