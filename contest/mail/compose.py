"""An outgoing mail as bytes (RFC 5322, MIME). Pure.

A mail is its own header lines (`head`) followed by its MIME headers and body (`content`). Reports
go to many teams with the same content, which is made and kept once; what one reader alone is told
(`lead`) is put before its text. The library, which is slow, makes the headers; we put bodies and
files below them.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import cache, lru_cache
from urllib.parse import quote

from contest.config.settings import Settings
from contest.language import speaking
from contest.ledger.receipts import PROOF_FILE
from contest.model import Attachment, Outgoing

_POLICY = SMTP.clone(max_line_length=78)
# The library folds a long subject after its colon, which some mailers show as an empty one. Encoded
# words need the short lines (RFC 2047); plain subjects stay on one line.
_PLAIN = SMTP.clone(max_line_length=400)

# Placeholder for a Message-ID's own name, in the line that is cached.
_SOME_NAME = "0" * 32

# Text that the library would write as it is, after a slow check.
# no encoded words, which have a =
_SIMPLE_TEXT = re.compile(r"(?=.{1,60}\Z)[!-<>-~]+( [!-<>-~]+)*")
_ADDRESSES = re.compile(r"(?=.{1,300}\Z)<([!-<>-~]|=(?!\?))+>")
_MESSAGE_IDS = re.compile(r"(?=.{1,300}\Z)<[!-<>-~]+>( <[!-<>-~]+>)*")
_SIMPLE_ADDRESS = re.compile(r"(?=.{1,60}\Z)[\w+-]+(\.[\w+-]+)*@[\w-]+(\.[\w-]+)*", re.ASCII)
_SIMPLE_FILE = re.compile(r"[\w.-]{1,60}", re.ASCII)
_SIMPLE = {
    "Subject": _SIMPLE_TEXT,
    "Date": _SIMPLE_TEXT,
    "X-Knobeln-Team": _SIMPLE_TEXT,
    "In-Reply-To": _MESSAGE_IDS,
    "References": _MESSAGE_IDS,
    "List-Id": _ADDRESSES,
    "List-Unsubscribe": _ADDRESSES,
}

_END_OF_HEADERS = b"\r\n\r\n"
_VERSION = b"MIME-Version: 1.0\r\n"

_BASE64_LINE_BYTES = 76
MAX_LINE_BYTES = 998  # that a relay must take (RFC 5322, 2.1.1)


@dataclass(frozen=True)
class Composed:
    """`of`: the mail without its body and attachments, which are in the content, and without its
    lead."""

    of: Outgoing
    message_id: str
    head: bytes  # ends with CRLF; the content follows directly
    lead: bytes  # encoded as the text of the content is
    content: bytes
    digest: str  # sha256 of the content, in hex
    told: str  # sha256 of what the reader is told, in hex: of all but the receipt

    @property
    def raw(self) -> bytes:
        return whole(self.head, self.lead, self.content)


def whole(head: bytes, lead: bytes, content: bytes) -> bytes:
    """The mail with these parts, as in Composed."""
    if not lead:
        return head + content
    mime, end, rest = content.partition(_END_OF_HEADERS)
    if b"multipart/" in mime:
        part, of_part, rest = rest.partition(_END_OF_HEADERS)
        end += part + of_part
    return head + mime + end + lead + rest


def compose(outgoing: Outgoing, settings: Settings, secret: bytes, now: datetime) -> Composed:
    """The mail as it goes out. Its Message-ID depends on its key only, so that a repeat is
    recognisable.

    The contest's `secret` makes sure that no other contest uses the same one, and that no stranger
    knows it.

    Raises ValueError for a subject or an address with a line break: no stranger adds headers.
    """
    name, domain = _name_and_domain(outgoing.to, outgoing.key, settings, secret)
    head = b"".join(_head(outgoing, settings, secret=secret, now=now, name=name, domain=domain))
    body, attachments = outgoing.body, outgoing.attachments
    body_digest = hashlib.sha256(f"{outgoing.lead}\0{body}".encode())
    for attachment in attachments:
        body_digest.update(attachment.name.encode() + hashlib.sha256(attachment.data).digest())
    if outgoing.receipt:
        with speaking(outgoing.language or settings.contest.language):
            body += outgoing.receipt.text
        attachments += (Attachment(PROOF_FILE, "text/plain", outgoing.receipt.proof),)
    plain = _is_plain(outgoing.lead) and _is_plain(body)
    content, digest = _content(body, plain, attachments)
    bare = replace(outgoing, body="", attachments=(), lead="")
    lead = _lead(outgoing.lead, plain)
    return Composed(
        of=bare,
        message_id=f"<{name}@{domain}>",
        head=head,
        lead=lead,
        content=content,
        digest=digest,
        told=body_digest.hexdigest(),
    )


@lru_cache(maxsize=64)  # as of the content: a long text goes to many
def _is_plain(text: str) -> bool:
    """Whether it goes as it is."""
    return text.isascii() and max(map(len, text.splitlines()), default=0) <= MAX_LINE_BYTES


def _lead(text: str, plain: bool) -> bytes:
    if not text:
        return b""
    return _lines(text) if plain else _part(text, plain).as_bytes().partition(_END_OF_HEADERS)[2]


def _head(
    outgoing: Outgoing, settings: Settings, secret: bytes, now: datetime, name: str, domain: str
) -> Iterator[bytes]:
    plain = outgoing.subject.isascii()
    yield _address_line("From", settings.contest.title, settings.contest.address, plain)
    yield _address_line("To", "", outgoing.to, plain)
    yield _line("Subject", outgoing.subject, plain)
    yield _line("Date", _date(now), plain)
    yield _line("Message-ID", f"<{_SOME_NAME}@{domain}>", plain).replace(
        _SOME_NAME.encode(), name.encode(), 1
    )
    root = _thread_root(outgoing, settings, secret)
    parents = tuple(parent for parent in (root, outgoing.in_reply_to) if parent)
    if parents:
        yield _line("In-Reply-To", parents[-1], plain=True)
        yield _line("References", " ".join(parents), plain=True)
    # RFC 3834: answers are auto-replied, what goes out unasked is auto-generated; robots answer
    # neither.
    yield _line(
        "Auto-Submitted", "auto-replied" if outgoing.in_reply_to else "auto-generated", plain
    )
    yield _address_line("Reply-To", "", settings.contest.address, plain)
    yield from _lines_to_filter_by(outgoing, settings)
    if outgoing.is_report:
        yield from _list_lines(outgoing, settings, unsubscribe_token(outgoing.to, secret), plain)


def _thread_root(outgoing: Outgoing, settings: Settings, secret: bytes) -> str | None:
    """The Message-ID that all mails of a thread refer to. No mail has it, and readers do not need
    one."""
    of_team = "" if outgoing.team_id is None else f"team/{outgoing.team_id}"
    thread = outgoing.thread or of_team
    if not thread:
        return None
    return "<{}@{}>".format(*_name_and_domain("", f"thread/{thread}", settings, secret))


def _lines_to_filter_by(outgoing: Outgoing, settings: Settings) -> Iterator[bytes]:
    title = settings.contest.title
    yield _line("X-Knobeln-Contest", title, title.isascii())
    if outgoing.team:
        yield _line("X-Knobeln-Team", outgoing.team, outgoing.team.isascii())
    yield _line("X-Knobeln-Report", outgoing.kind.replace("_", "-").replace(" ", "-"), plain=True)
    if outgoing.round is not None:
        yield _line("X-Knobeln-Round", str(outgoing.round), plain=True)
    if outgoing.receipt is not None:
        yield f"X-Knobeln-Receipt: {outgoing.receipt.header}\r\n".encode()


def unsubscribe_token(address: str, secret: bytes) -> str:
    """What `unsubscribe` for this address has in its subject: strangers do not know it. 32 hex
    digits."""
    return hmac.digest(secret, f"unsubscribe/{address.casefold()}".encode(), "sha256").hex()[:32]


def _list_lines(outgoing: Outgoing, settings: Settings, token: str, plain: bool) -> Iterator[bytes]:
    """A report that goes to many is one list's (RFC 2919, 2369); `unsubscribe` ends it."""
    name, _, domain = settings.contest.address.partition("@")
    label = "-".join(outgoing.kind.lower().split())
    yield _line("List-Id", f"<{label}.{name.replace('+', '-')}.{domain}>", plain)
    mailto = quote(settings.contest.address, safe="@+")
    yield _line("List-Unsubscribe", f"<mailto:{mailto}?subject=unsubscribe%20{token}>", plain)
    yield _line("Precedence", "bulk", plain)  # what robots heeded before RFC 3834


# the library takes its time, and mails of a contest have most lines in common
@lru_cache(maxsize=4096)
def _line(header: str, value: str, plain: bool) -> bytes:
    simple = _SIMPLE.get(header)
    if simple and simple.fullmatch(value):
        return f"{header}: {value}\r\n".encode()
    return _folded(header, value, plain)


@lru_cache(maxsize=16)
def _date(moment: datetime) -> str:
    return format_datetime(moment)


@lru_cache(maxsize=4096)
def _address_line(header: str, name: str, address: str, plain: bool) -> bytes:
    if not name and _SIMPLE_ADDRESS.fullmatch(address):
        return f"{header}: {address}\r\n".encode()
    return _folded(header, Address(name, addr_spec=address), plain)


def _folded(header: str, value: str | Address, plain: bool) -> bytes:
    head = EmailMessage(policy=_PLAIN if plain else _POLICY)
    head[header] = value
    return head.as_bytes().removesuffix(b"\r\n")


def _name_and_domain(to: str, key: str, settings: Settings, secret: bytes) -> tuple[str, str]:
    """The two sides of the Message-ID of the mail with this key."""
    address = settings.contest.address
    digest = hmac.digest(secret, f"message/{address}/{to}/{key}".encode(), hashlib.sha256).hex()
    return digest[: len(_SOME_NAME)], address.rpartition("@")[2]


@lru_cache(maxsize=16)
def _content(body: str, plain: bool, attachments: tuple[Attachment, ...]) -> tuple[bytes, str]:
    """MIME headers and body, and their digest."""
    content = _mime(body, plain, attachments)
    return content, hashlib.sha256(content).hexdigest()


def _mime(body: str, plain: bool, attachments: tuple[Attachment, ...]) -> bytes:
    text = _plain_head() + _lines(body) if plain else _part(body, plain).as_bytes()
    if not attachments:
        return text
    # The library's own boundary is drawn by chance; the same mail shall be the same bytes.
    boundary = b"=_" + hashlib.sha256(body.encode()).hexdigest()[:32].encode()
    parts = [text.replace(_VERSION, b"", 1)]
    parts += [
        _head_of_file(attachment.media_type, attachment.name) + _base64(attachment.data)
        for attachment in attachments
    ]
    head = (
        _VERSION + b'Content-Type: multipart/mixed; boundary="' + boundary + b'"' + _END_OF_HEADERS
    )
    return (
        head
        + b"".join(b"--%s\r\n%s\r\n" % (boundary, part) for part in parts)
        + b"--%s--\r\n" % boundary
    )


def _lines(body: str) -> bytes:
    return b"".join([line + b"\r\n" for line in body.encode().splitlines() or [b""]])


def _part(body: str, plain: bool) -> EmailMessage:
    part = EmailMessage(policy=_POLICY)
    # Tables and programs are to stay as they are, also where a mailer likes to flow text (RFC
    # 3676).
    part.set_content(body, cte="7bit" if plain else "quoted-printable", params={"format": "fixed"})
    return part


@cache
def _plain_head() -> bytes:
    """The MIME headers of a body that goes as it is."""
    head, end, _ = _part("", plain=True).as_bytes().partition(_END_OF_HEADERS)
    return head + end


def _head_of_file(media_type: str, name: str) -> bytes:
    """The MIME headers of an attachment."""
    if not _SIMPLE_FILE.fullmatch(name):
        return _folded_head_of_file(media_type, name)
    some_name = "0" * len(name)  # the library breaks lines by the length alone
    head = _folded_head_of_file(media_type, some_name)
    return head.replace(f'"{some_name}"'.encode(), f'"{name}"'.encode())


@lru_cache(maxsize=1024)
def _folded_head_of_file(media_type: str, name: str) -> bytes:
    part = EmailMessage(policy=_POLICY)
    kind, *parameters = media_type.split("; ")
    maintype, _, subtype = kind.partition("/")
    params = dict(parameter.split("=") for parameter in parameters)
    if maintype == "text":
        params["charset"] = "utf-8"
    part.set_content(
        b"",
        maintype=maintype,
        subtype=subtype,
        disposition="attachment",
        filename=name,
        params=params,
    )
    head, end, _ = part.as_bytes().partition(_END_OF_HEADERS)
    return head + end


def _base64(data: bytes) -> bytes:
    """The data in base64, as the library writes it; that encodes line by line, which takes
    longer."""
    encoded, size = base64.b64encode(data), _BASE64_LINE_BYTES
    lines = [encoded[start : start + size] for start in range(0, len(encoded), size)]
    return b"\r\n".join([*lines, b""])
