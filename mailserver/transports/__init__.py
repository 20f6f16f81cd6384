"""Ways out: one file each, and one line here."""

from __future__ import annotations

import sys
from pathlib import Path

from knobeln.config import DeliveryKind, Settings
from mailserver.oauth import AccessToken
from mailserver.transports.base import RelayUnreachable, Transport
from mailserver.transports.maildir import MaildirTransport
from mailserver.transports.sendmail import SendmailTransport
from mailserver.transports.smtp import SmtpTransport
from mailserver.transports.stdout import StreamTransport

__all__ = ["RelayUnreachable", "Transport", "transport_of"]


def transport_of(settings: Settings, folder: Path) -> Transport:
    """The transport that the settings name; `folder` is the contest's."""
    match settings.mail.delivery:
        case DeliveryKind.SMTP:
            domain = settings.contest.address.rpartition("@")[2]
            return SmtpTransport(settings.mail, domain, AccessToken(settings.oauth, folder))
        case DeliveryKind.SENDMAIL:
            return SendmailTransport(settings.mail.sendmail)
        case DeliveryKind.STDOUT:
            return StreamTransport(sys.stdout.buffer)
        case DeliveryKind.MAILDIR:
            return MaildirTransport(folder / settings.mail.maildir_root)
