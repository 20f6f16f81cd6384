"""Incoming letters and outgoing mails."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from contest.ledger.receipts import Receipt


class LetterState(StrEnum):
    NEW = "new"  # stored durably, not handled yet
    WAITING = "waiting"  # its answer is beyond a limit; it is handled when there is room
    HANDLED = "handled"  # its effect and its answer are committed
    # deliberately without effect: bounce, mail loop, automatic answer, duplicate
    IGNORED = "ignored"
    FAILED = "failed"  # it cannot be read or handled; set aside for the organizer, with the reason


@dataclass(frozen=True)
class IncomingLetter:
    """A letter as it came, with its envelope; the null sender is "". `client` as in
    StoredLetter."""

    raw: bytes
    sender: str
    recipients: tuple[str, ...]
    client: str = ""


@dataclass(frozen=True)
class StoredLetter:
    """A letter as it arrived, byte for byte."""

    id: int
    digest: str  # sha256 of the raw letter, in hex
    received_at: datetime
    sender: str  # envelope sender; "" for the null sender, or if unknown
    recipients: tuple[str, ...]
    channel: str  # smtp, receive, ...
    state: LetterState
    raw: bytes
    # the network address that brought it by SMTP; "" if unknown, or our own mail system's
    client: str = ""


@dataclass(frozen=True)
class Attachment:
    """A file that goes with an outgoing mail."""

    name: str
    media_type: str  # "text/x-csrc", "text/calendar; method=PUBLISH"
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
    is_report: bool = False  # a report that the team has ordered, and can cancel
    team: str = ""  # the team's name, to filter by
    round: int | None = None  # the round that a report is about
    group: int | None = None  # the group of that round
    thread: str = ""  # mails with one name are one thread; "": the team's own thread
    receipt: Receipt | None = None  # of the ledger's entry about the letter that this answers
    lead: str = ""  # the reader's own first lines, above a body that many readers share
    language: str = ""  # of the words; "": the contest's


class OutboxState(StrEnum):
    READY = "ready"
    HELD = "held"  # the organizer holds it
    SENT = "sent"
    FAILED = "failed"  # refused permanently (5xx), or given up
    BOUNCED = "bounced"  # it was sent and came back


@dataclass(frozen=True)
class Bounce:
    """A letter which reports that a mail of ours was not delivered, or (not `permanent`) is
    delayed."""

    letter_id: int
    at: datetime
    permanent: bool
    diagnosis: str  # the other mail system's message, on one line


@dataclass(frozen=True)
class LetterQuestion:
    """A reply from the address `to` shows that this letter is its own; then the letter is handled
    again."""

    letter_id: int
    to: str


@dataclass(frozen=True)
class OrganizerRequest:
    """What the organizer asks for: the name of an action, its arguments, and why.

    `message`: what teams are to be told, subject and text.
    """

    name: str
    arguments: tuple[str, ...]
    reason: str
    message: tuple[str, str] = ("", "")

    @property
    def text(self) -> str:
        """As in the subject, without `organizer`."""
        return " ".join((self.name, *self.arguments))


Order = LetterQuestion | OrganizerRequest
"""What is done once somebody has confirmed it with a token."""


class Scope(StrEnum):
    """Which answers a limit counts together: those with the same value in this column, or all."""

    MAILBOX = "mailbox"
    FAMILY = "family"
    WRITER = "writer"
    DOMAIN = "domain"
    NETWORK = "network"
    ALL = "all"


@dataclass(frozen=True)
class CountedAnswer:
    """An answer that goes out at this time; the fields are described in
    `store/tables.py`."""

    at: datetime
    letter_id: int
    template: str
    mailbox: str
    family: str
    domain: str
    writer: str
    network: str
    proved: bool
