"""The network from which a letter came, for the limits. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

_MAX_FIELDS = 20
_MAX_FIELD_CHARACTERS = 1_000
# What the sender calls himself may look like an address: `from [8.8.8.8] (...)`, `helo=[8.8.8.8]`.
_OWN_NAME = re.compile(r"(?i)\bhelo[= ]\S+?(?=[\s)]|$)")
_ADDRESS = re.compile(r"(?i)[\[(](?:IPv6:)?([0-9a-f.:]{3,45})[\])]")
_BY = re.compile(r"(?:^|\s)by\s")
_PREFIX_BITS = {4: 24, 6: 48}  # what one sender usually has


def network_of(client: str, received: Sequence[str]) -> str:
    """The network of the letter's sender, such as `192.0.2.0/24`; "" if it is not known.

    `client` is the address that brought the letter to our own listener. Where our own mail system brought it
    (""), the topmost public address in the Received fields counts: that field is our own mail system's, and
    those below it may be forged.
    """
    fields = (_BY.split(field[:_MAX_FIELD_CHARACTERS], 1)[0] for field in received[:_MAX_FIELDS])
    found = (texts[-1] for field in fields if (texts := _ADDRESS.findall(_OWN_NAME.sub("", field))))
    public = (address for text in ([client] if client else found) if (address := _public(text)))
    networks = (ip_network((address, _PREFIX_BITS[address.version]), strict=False) for address in public)
    return next(map(str, networks), "")


def _public(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address if address.is_global else None
