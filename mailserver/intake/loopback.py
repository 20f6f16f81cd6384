"""The loopback interface, by which the programs of a host reach each other."""

from __future__ import annotations

import socket
from ipaddress import ip_address

from contest.errors import TryAgain

ADDRESS = "127.0.0.1"
_TIMEOUT_SECONDS = 5.0


def require_loopback() -> None:
    """Connect to a port of our own. Raises TryAgain where this host does not reach itself."""
    try:
        with socket.create_server((ADDRESS, 0)) as server:
            socket.create_connection(server.getsockname(), _TIMEOUT_SECONDS).close()
    except OSError as error:
        raise TryAgain(
            f"no program of this host can be reached at {ADDRESS}: {error.strerror or error}",
            hint="the loopback interface is down; as root: ip link set lo up",
        ) from None


def is_ours(host: str) -> bool:
    """Return whether it is this machine ("" = by the Unix socket), whose mail system brings
    everybody's letters."""
    return not host or ip_address(host).is_loopback
