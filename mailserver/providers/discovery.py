"""Finds the servers of a mailbox from its address alone, as mail programs do.

In this order: the table of usual providers; the file that the domain offers (autoconfig); its SRV
records (RFC 6186, RFC 8314); the hosts that take in its letters (MX), which tell who hosts it; and
then usual names. Only servers that encrypt are named. A file that came over plain HTTP may name
servers within the mailbox's own domain alone. As nobody signs the domain name system, people are
shown the servers before they give a password.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

import dns.exception
import dns.resolver

from mailserver.providers import table
from mailserver.providers.autoconfig import MAX_BYTES, servers_in
from mailserver.providers.table import Provider, Server

_SECONDS = 5.0  # for an answer of the domain name system, and for a file


@dataclass(frozen=True)
class Found:
    """Where the mailbox may be: the first server of each kind that answers.

    `how`: in words, how we know. `provider`: None if it is none of the usual ones.
    """

    imap: tuple[Server, ...]
    smtp: tuple[Server, ...]
    how: str
    provider: Provider | None = None


def find(address: str) -> Iterator[Found]:
    """Yield where the mailbox of this address may be, the surest first; nothing is connected."""
    domain = ascii_domain(address)
    if provider := table.of_domain(domain):
        yield _at(provider, address, f"by its domain, {domain}")
        return
    hosts = _mail_hosts(domain)
    provider = next(filter(None, map(table.of_host, hosts)), None)
    for how, search in _ways(domain, hosts):
        if servers := search(address):
            yield Found((servers[0],), (servers[1],), how, provider)
    if provider:
        yield _at(provider, address, f"as {hosts[0]} takes in the letters to {domain}")
        return
    names = [*(f"{name}.{domain}" for name in ("imap", "mail")), domain, *hosts[:1]]
    yield Found(
        tuple(Server.at(f"{name}:{port}", address) for port in (993, 143) for name in names),
        tuple(
            Server.at(f"{name.replace('imap.', 'smtp.')}:{port}", address)
            for port in (465, 587)
            for name in names
        ),
        f"by the usual names at {domain}",
    )


def ascii_domain(address: str) -> str:
    """Return the domain of the address, as the domain name system has it."""
    domain = address.rpartition("@")[2]
    try:
        return domain.encode("idna").decode().lower()
    except UnicodeError:
        return domain.lower()


def _at(provider: Provider, address: str, how: str) -> Found:
    imap, smtp = provider.servers(address)
    return Found((imap,), (smtp,), how, provider)


_Search = Callable[[str], tuple[Server, Server] | None]


def _ways(domain: str, hosts: list[str]) -> Iterator[tuple[str, _Search]]:
    """Yield the ways to ask the domain itself, then the one of whoever takes in its letters."""
    domains = [domain, *{host.partition(".")[2]: None for host in hosts}]
    for each in domains[:3]:
        for scheme in ("https", "http"):
            for place in (f"autoconfig.{each}/mail", f"{each}/.well-known/autoconfig/mail"):
                url = f"{scheme}://{place}/config-v1.1.xml"
                yield f"as {url} says", partial(_by_file, url, domain)
        if each == domain:
            yield f"by the SRV records of {domain}", partial(_by_records, domain)


# --- files ----------------------------------------------------------------------------------------
def _by_file(url: str, domain: str, address: str) -> tuple[Server, Server] | None:
    is_private = url.startswith("https:")
    query = f"?emailaddress={quote(address)}" if is_private else ""
    try:
        with urlopen(url + query, timeout=_SECONDS) as response:  # noqa: S310 - the schemes are ours
            is_private = is_private and response.url.startswith("https:")
            found = servers_in(_read(response), address)
    except (OSError, HTTPException, ValueError):
        return None
    if found and not is_private:
        is_own = all(table.is_below(server.host, (domain,)) for server in found)
        return found if is_own else None
    return found


def _read(response: HTTPResponse) -> bytes:
    """Return the file, as much of it as came in time."""
    end, parts, size = time.monotonic() + _SECONDS, list[bytes](), 0
    while size < MAX_BYTES and time.monotonic() < end and (part := response.read1(MAX_BYTES)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


# --- the domain name system -----------------------------------------------------------------------
def _by_records(domain: str, address: str) -> tuple[Server, Server] | None:
    imap = _service(domain, address, "_imaps", "_imap")
    smtp = _service(domain, address, "_submissions", "_submission")
    return (imap, smtp) if imap and smtp else None


def _service(domain: str, address: str, *names: str) -> Server | None:
    """Return the server of the first of these services; those whose names end in s begin
    encrypted."""
    for name in names:
        records = _records(f"{name}._tcp.{domain}", "SRV")
        best = min(records, key=lambda record: (record.priority, -record.weight), default=None)
        host = str(best.target).rstrip(".").lower() if best else ""  # "." = it is not offered
        if best and host:
            return Server(host, best.port, "tls" if name.endswith("s") else "starttls", address)
    return None


def _mail_hosts(domain: str) -> list[str]:
    """Return the hosts that take in letters to the domain, the preferred first."""
    records = sorted(_records(domain, "MX"), key=lambda record: int(record.preference))
    return [name for record in records if (name := str(record.exchange).rstrip(".").lower())]


def _records(name: str, kind: str) -> list[Any]:  # the library gives each kind a class of its own
    try:
        return list(dns.resolver.resolve(name, kind, lifetime=_SECONDS))
    except (dns.exception.DNSException, OSError):
        return []
