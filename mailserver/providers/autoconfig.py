"""Reads the file in which a domain tells mail programs its servers (config-v1.1.xml).

https://github.com/thunderbird/autoconfig describes it. Anybody may have written it: it is read up
to a size, and it can define no entities.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, ParseError, fromstring

from mailserver.providers.table import Server

MAX_BYTES = 65_536
_HOST = re.compile(r"(?:[a-z0-9][a-z0-9-]{0,62}\.){1,8}[a-z][a-z0-9-]{0,62}")
_USERNAME = re.compile(r"[!-~]{1,254}")
_SECURITY = {"SSL": "tls", "STARTTLS": "starttls"}


def servers_in(raw: bytes, address: str) -> tuple[Server, Server] | None:
    """Return the first encrypted servers for IMAP and for SMTP; None if the file does not name
    both."""
    try:
        text = raw[:MAX_BYTES].decode("utf-8-sig")
        if "<!" in text.replace("<!--", ""):  # a document type, which could define entities
            return None
        provider = fromstring(text).find("emailProvider")  # noqa: S314 - no entities, see above
    except (UnicodeDecodeError, ParseError, ValueError):
        return None
    if provider is None:
        return None
    imap = _first(provider, "incomingServer[@type='imap']", address)
    smtp = _first(provider, "outgoingServer[@type='smtp']", address)
    return (imap, smtp) if imap and smtp else None


def _first(provider: Element, kind: str, address: str) -> Server | None:
    found = (_server(element, address) for element in provider.findall(kind))
    return next((server for server in found if server), None)


def _server(element: Element, address: str) -> Server | None:
    """Return the server, if we can use it."""
    local_part, _, domain = address.rpartition("@")

    def text(name: str) -> str:
        words = (element.findtext(name) or "").strip()
        for blank, value in (
            ("%EMAILADDRESS%", address),
            ("%EMAILLOCALPART%", local_part),
            ("%EMAILDOMAIN%", domain),
        ):
            words = words.replace(blank, value)
        return words

    host, port, username = text("hostname").lower(), text("port"), text("username") or address
    security = _SECURITY.get(text("socketType").upper())
    is_port = re.fullmatch(r"[0-9]{1,5}", port) and 0 < int(port) < 65_536
    if not (_HOST.fullmatch(host) and is_port and _USERNAME.fullmatch(username)):
        return None
    if security == "tls":
        return Server(host, int(port), "tls", username)
    return Server(host, int(port), "starttls", username) if security else None
