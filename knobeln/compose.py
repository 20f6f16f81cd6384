"""An outgoing mail as bytes (RFC 5322, MIME). Pure.

A mail is its own header lines (`head`) followed by its MIME headers and body (`content`): reports go to many
teams with the same content, which is made and kept once.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address, BaseHeader
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import lru_cache

from knobeln.config import Settings
from knobeln.model import Attachment, Outgoing

_POLICY = SMTP.clone(max_line_length=78)
# The library folds a long subject behind its colon, which some mailers show as an empty one. Encoded words
# need the short lines (RFC 2047); plain ones may be as long as ours ever get.
_PLAIN = SMTP.clone(max_line_length=400)

LONGEST_LINE = 998  # that a relay must take (RFC 5322, 2.1.1)


@dataclass(frozen=True)
class Composed:
    message_id: str
    head: bytes  # ends with CRLF; the content follows directly
    content: bytes

    @property
    def raw(self) -> bytes:
        return self.head + self.content


def compose(outgoing: Outgoing, settings: Settings, now: datetime) -> Composed:
    """The mail as it goes out. Its Message-ID depends on the key only, so that a repeat is recognisable.

    Raises ValueError for a subject or an address with a line break: no stranger adds headers.
    """
    message_id = _message_id(outgoing, settings)
    head = EmailMessage(policy=_PLAIN if outgoing.subject.isascii() else _POLICY)
    head["From"] = _address("From", settings.contest.title, settings.contest.address)
    head["To"] = _address("To", "", outgoing.to)
    head["Subject"] = outgoing.subject
    head["Date"] = format_datetime(now)
    head["Message-ID"] = message_id
    if outgoing.in_reply_to:
        head["In-Reply-To"] = outgoing.in_reply_to
        head["References"] = outgoing.in_reply_to
    # RFC 3834: answers are auto-replied, what goes out unasked is auto-generated; robots answer neither.
    head["Auto-Submitted"] = "auto-replied" if outgoing.in_reply_to else "auto-generated"
    head["Reply-To"] = _address("Reply-To", "", settings.contest.address)
    return Composed(
        message_id, head.as_bytes().removesuffix(b"\r\n"), _content(outgoing.body, outgoing.attachments)
    )


@lru_cache(maxsize=4096)  # the library takes its time to read an address, and teams get many mails
def _address(header: str, name: str, address: str) -> BaseHeader:
    made: BaseHeader = _POLICY.header_factory(header, Address(name, addr_spec=address))
    return made


def _message_id(outgoing: Outgoing, settings: Settings) -> str:
    address = settings.contest.address
    name = hashlib.sha256(f"{address}/{outgoing.to}/{outgoing.key}".encode()).hexdigest()[:32]
    return f"<{name}@{address.rpartition('@')[2]}>"


@lru_cache(maxsize=16)
def _content(body: str, attachments: tuple[Attachment, ...]) -> bytes:
    part = EmailMessage(policy=_POLICY)
    plain = body.isascii() and all(len(line) <= LONGEST_LINE for line in body.splitlines())
    part.set_content(body, cte="7bit" if plain else "quoted-printable")
    for attachment in attachments:
        maintype, _, subtype = attachment.media_type.partition("/")
        part.add_attachment(attachment.data, maintype=maintype, subtype=subtype, filename=attachment.name)
    if part.is_multipart():
        # The library's own boundary is drawn by chance; the same mail shall be the same bytes.
        part.set_boundary("=_" + hashlib.sha256(body.encode()).hexdigest()[:32])
    return part.as_bytes()
