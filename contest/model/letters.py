"""Letters that arrive, and mails that go out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class LetterState(StrEnum):
    NEW = "new"  # durable, not yet looked at
    HANDLED = "handled"  # its effect and its answer are committed
    IGNORED = "ignored"  # deliberately without effect: bounce, loop, automatic answer, duplicate
    FAILED = "failed"  # our handler broke; set aside with its traceback, `knobeln letters retry`


@dataclass(frozen=True)
class StoredLetter:
    """A letter as it arrived, byte for byte."""

    id: int
    digest: str  # sha256 of the raw letter, in hex
    received_at: datetime
    sender: str  # envelope sender, "" for the null sender or when unknown
    recipients: tuple[str, ...]
    channel: str  # smtp, receive, ...
    state: LetterState
    raw: bytes


@dataclass(frozen=True)
class Attachment:
    """A file that goes with an outgoing mail."""

    name: str
    media_type: str  # "text/x-csrc", "application/gzip"
    data: bytes


@dataclass(frozen=True)
class Outgoing:
    """One mail to one recipient, not yet composed. A second mail with the same `key` is dropped."""

    key: str
    kind: str  # "registration accepted", "compile report", "LAP", "GRR" ...
    to: str
    subject: str
    body: str
    team_id: int | None = None
    attachments: tuple[Attachment, ...] = ()
    in_reply_to: str | None = None  # the Message-ID that this answers
    letter_id: int | None = None  # the letter that this answers
    cause: str | None = None  # the address that wrote it; counts against its limits as well as against `to`'s
    broadcast: bool = False  # one of the reports that a team ordered and can order off


class OutboxState(StrEnum):
    READY = "ready"
    HELD = "held"  # the organizer keeps it back
    SENT = "sent"
    FAILED = "failed"  # refused for good (5xx), or given up
    BOUNCED = "bounced"  # it was sent and came back


@dataclass(frozen=True)
class Bounce:
    """A letter that says that a mail of ours did not arrive, or (not `permanent`) not yet."""

    letter_id: int
    at: datetime
    permanent: bool
    diagnosis: str  # the other mail system's words, in one line
