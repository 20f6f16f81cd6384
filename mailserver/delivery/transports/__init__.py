"""Transports, the ways in which mail leaves: one file each, and one line here."""

from __future__ import annotations

from pathlib import Path

from contest.config.settings import Settings
from contest.schema.sections import DeliveryKind
from mailserver.delivery.transports.local import (
    LimitReached,
    MaildirTransport,
    RelayHungUp,
    RelayUnreachable,
    Transport,
)
from mailserver.delivery.transports.smtp import SmtpTransport
from mailserver.oauth import AccessToken

__all__ = [
    "MAILDIRS",
    "LimitReached",
    "RelayHungUp",
    "RelayUnreachable",
    "Transport",
    "transport_of",
]


MAILDIRS = "mail"
"""The folder of the recipients' Maildirs, in the contest's folder."""


def transport_of(settings: Settings, folder: Path) -> Transport:
    """Return the transport that the settings name; `folder` is the contest's."""
    match settings.mail.delivery:
        case DeliveryKind.SMTP:
            domain = settings.contest.address.rpartition("@")[2]
            return SmtpTransport(settings.mail, domain, AccessToken(settings.oauth, folder))
        case DeliveryKind.MAILDIR:
            return MaildirTransport(folder / MAILDIRS)
