"""The sockets that letters come in by: a port at each address of the host, or a Unix socket."""

from __future__ import annotations

import errno
import socket
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path

from contest.errors import ConfigError, TryAgain
from contest.schema.sections import Mail
from mailserver.intake.loopback import require_loopback

_LOOPBACK = ("127.0.0.1", "::1")  # localhost (RFC 6761), also where /etc/hosts has only one of them
# What `localhost` meets on a host without IPv6, or where that is switched off.
_MISSING = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)
_FIRST_FREE_PORT = 1_024  # anybody may have this one and those above


def low_ports(mail: Mail) -> list[socket.socket]:
    """Bind the port of the settings if only root may have it; [] if anybody may, or there is none.

    Raises TryAgain or ConfigError.
    """
    return _ports(mail) if 0 < mail.listen_port < _FIRST_FREE_PORT else []


def open_sockets(
    mail: Mail, folder: Path, ports: Sequence[socket.socket] = ()
) -> list[socket.socket]:
    """Bind the port or the Unix socket of the settings; `ports`: what `low_ports` has bound
    already.

    Raises TryAgain if they cannot be had now, or ConfigError.
    """
    if mail.listen_socket:
        return [_unix_socket(folder / mail.listen_socket)]
    return [*(ports or _ports(mail))]


def port_of(sockets: Sequence[socket.socket]) -> int:
    """Return the port that is listened on, also where the settings say 0; 0 where only the Unix
    socket is."""
    names = [door.getsockname() for door in sockets]
    return next((int(name[1]) for name in names if isinstance(name, tuple)), 0)


def _addresses(mail: Mail) -> list[tuple[socket.AddressFamily, str]]:
    """Return what the host of the settings stands for. Raises OSError."""
    names = _LOOPBACK if mail.listen_host == "localhost" else (mail.listen_host,)
    found = [
        (family, str(address[0]))
        for name in names
        for family, _, _, _, address in socket.getaddrinfo(
            name, mail.listen_port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    ]
    return list(dict.fromkeys(found))


def _ports(mail: Mail) -> list[socket.socket]:
    if not mail.listen_host:
        return []
    bound: list[socket.socket] = []
    missing: OSError | None = None
    try:
        for family, host in _addresses(mail):
            try:
                bound.append(_bound(family, host, mail.listen_port or port_of(bound)))
            except OSError as error:
                if error.errno not in _MISSING:
                    raise
                missing = error
        if not bound and missing is not None:
            raise missing
    except OSError as error:
        text = f"mail.listen: cannot listen there: {error.strerror or error}"
        if error.errno == errno.EADDRINUSE:
            text = (
                f"mail.listen: port {mail.listen_port} is in use, maybe by another `knobeln serve`"
            )
        # The network may not be up yet, or an earlier server not quite gone.
        kind = (
            TryAgain
            if error.errno in (errno.EADDRINUSE, errno.EADDRNOTAVAIL, None)
            else ConfigError
        )
        raise kind(text) from None
    if all(ip_address(door.getsockname()[0]).is_loopback for door in bound):
        require_loopback()
    return bound


def _bound(family: int, host: str, port: int) -> socket.socket:
    """Return a socket that listens there; at all addresses of IPv6, it takes IPv4 as well."""
    takes_both = host == "::" and socket.has_dualstack_ipv6()
    return socket.create_server((host, port), family=family, dualstack_ipv6=takes_both)


def _unix_socket(path: Path) -> socket.socket:
    try:
        if is_answered(path):
            raise ConfigError(f"mail.listen: somebody else listens at {path}")
        if path.is_socket():  # it was left behind
            path.unlink()
        opened = socket.socket(socket.AF_UNIX)
        opened.bind(str(path))
        path.chmod(0o660)  # for the mail system in the folder's group, and nobody else
        opened.listen()
    except OSError as error:
        raise ConfigError(f"mail.listen: cannot listen at {path}: {error}") from None
    return opened


def is_answered(path: Path) -> bool:
    """Return whether somebody listens at this Unix socket; one that was left behind may be
    replaced."""
    with socket.socket(socket.AF_UNIX) as client:
        client.setblocking(False)
        # the latter: somebody who is very busy
        return client.connect_ex(str(path)) in (0, errno.EAGAIN)
