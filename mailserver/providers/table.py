"""The usual providers of mailboxes (providers.toml), as records. Pure but for reading that file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict

from contest.schema.sections import SendingLimit

_ALIKE = 0.8

UserName = Literal["address", "local part"]


class Login(StrEnum):
    """What a provider lets a program in with."""

    PASSWORD = "password"  # noqa: S105 - a word for it, and none itself
    APP_PASSWORD = "app password"  # noqa: S105
    DEVICE_CODE = "device code"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Server:
    """A mail server, with the name for the login there."""

    host: str
    port: int
    security: Literal["tls", "starttls"]
    username: str

    def __str__(self) -> str:
        how = "TLS" if self.security == "tls" else "STARTTLS"
        return f"{self.host}:{self.port} ({how})"

    @classmethod
    def at(cls, place: str, username: str) -> Server:
        """Return the server at `host:port`; its port says how it is encrypted."""
        host, _, port = place.rpartition(":")
        return cls(host, int(port), security_at(int(port)), username)


def security_at(port: int) -> Literal["tls", "starttls"]:
    """Return how connections to this port are usually encrypted."""
    return "tls" if port in (993, 465) else "starttls"


class Provider(BaseModel):
    """A row of the table; providers.toml says what its fields mean. None: it has to be tried."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    domains: tuple[str, ...] = ()
    mx: tuple[str, ...] = ()
    imap: str
    smtp: str
    login: Login
    wants: str
    imap_user: UserName = "address"
    smtp_user: UserName = "address"
    plus: bool | None = None
    verp: bool | None = None
    sent: bool = False
    limits: tuple[SendingLimit, ...] = ()
    issuer: str = ""
    scope: str = ""

    def servers(self, address: str) -> tuple[Server, Server]:
        """Return the servers for IMAP and for SMTP."""
        names = {"address": address, "local part": address.rpartition("@")[0]}
        return (
            Server.at(self.imap, names[self.imap_user]),
            Server.at(self.smtp, names[self.smtp_user]),
        )


@cache
def providers() -> tuple[Provider, ...]:
    """Return all rows."""
    text = files(__package__).joinpath("providers.toml").read_text(encoding="utf-8")
    return tuple(Provider.model_validate(row) for row in tomllib.loads(text).values())


def of_domain(domain: str) -> Provider | None:
    """Return the provider that gives out addresses of this domain, or of one above it."""
    return next((row for row in providers() if is_below(domain, row.domains)), None)


def of_host(host: str) -> Provider | None:
    """Return the provider to whose servers letters to a domain go, by the name of one of them
    (MX)."""
    return next((row for row in providers() if is_below(host, row.mx)), None)


def close_to(domain: str) -> str:
    """Return a provider's domain that is written much like this one; "" if there is none."""
    domains = [name for row in providers() for name in row.domains]
    return next(iter(get_close_matches(domain, domains, 1, _ALIKE)), "")


def is_below(name: str, domains: tuple[str, ...]) -> bool:
    """Return whether the name is one of these domains, or a name within one."""
    name = name.casefold().rstrip(".")
    return any(name == domain or name.endswith(f".{domain}") for domain in domains)
