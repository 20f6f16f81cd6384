"""Letters that say that a mail of ours did not arrive: whose mail it was, and why (M43).

A bounce is genuine if it comes to the signed address of that mail (verp.py), or if it returns the Message-ID
of a mail of ours: only we, its reader and the mail systems between know that. Some mail systems report to the
robot's plain address, and the settings can do without signed ones. A bounce only changes what the organizer
is shown.
"""

from __future__ import annotations

import email.message
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from contest.config.settings import Settings
from contest.model import Bounce, StoredLetter
from contest.store import Transaction, contest_state, outbox
from contest.store.outbox import OutboxItem
from contest.util.log import log
from mailserver.delivery.verp import bounced_items, is_tagged
from mailserver.loop_protection import CHANNELS_WITH_ENVELOPE
from mailserver.problem import visible
from mailserver.reading.mime_parts import Headers, Message

# The library's patterns take time with the square of the number of lines and of their lengths. Reports say
# what they have to say at the beginning.
_MAX_READ_BYTES = 64_000
_MAX_LINES = 1_500
_MAX_LINE_BYTES = 400
_MAX_DIAGNOSIS_CHARACTERS = 300
_MAX_FIELD_CHARACTERS = 2_000
_MAX_IDS = 20
_ADDRESS_FIELDS = ("To", "Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To")
_CODE = re.compile(r"(?<![\w.])[45](?:[0-9]{2}|\.[0-9]{1,3}\.[0-9]{1,3})(?![\w.])")


@dataclass(frozen=True)
class Failure:
    """The content of a bounce: whether the mail is lost, and why, in one line."""

    permanent: bool
    diagnosis: str


def note(tx: Transaction, stored: StoredLetter, message: Message, settings: Settings, now: datetime) -> str:
    """Record a bounce with the mail that it is about.

    `message`: the same letter, split. Returns a line for the journal, "" if this is no bounce of our mails.
    """
    addressed = _addressed(tx, stored, message, settings) if settings.mail.verp else None
    item = addressed or _returned(tx, stored, settings)
    failure = read(stored, message) if item else None
    if item is None or failure is None:
        return ""
    outbox.came_back(tx, item.id, Bounce(stored.id, now, failure.permanent, failure.diagnosis))
    if failure.permanent:
        text = f"mail {item.id} to {item.to} came back: {failure.diagnosis}"
    else:
        text = f"mail {item.id} to {item.to} is late: {failure.diagnosis}"
    contest_state.note(tx, "delivery", text, now)
    return text


def _addressed(
    tx: Transaction, stored: StoredLetter, message: Message, settings: Settings
) -> OutboxItem | None:
    """The mail to whose bounce address this letter came."""
    fields = (field for name in _ADDRESS_FIELDS for field in message.headers.all(name))
    text = " ".join((*stored.recipients, *(field[:_MAX_FIELD_CHARACTERS] for field in fields)))
    if not is_tagged(text):
        return None
    ids = bounced_items(text, settings.contest.address, contest_state.secret(tx))
    return outbox.get(tx, ids[0]) if ids else None


def _returned(tx: Transaction, stored: StoredLetter, settings: Settings) -> OutboxItem | None:
    """The mail whose Message-ID this letter brings back."""
    ids = (outbox.id_of(tx, message_id) for message_id in _message_ids(stored.raw, settings))
    found = next((item_id for item_id in ids if item_id is not None), None)
    return None if found is None else outbox.get(tx, found)


def _message_ids(raw: bytes, settings: Settings) -> Iterator[str]:
    """The texts in the returned bytes that look like Message-IDs of ours."""
    domain = re.escape(settings.contest.address.rpartition("@")[2]).encode()
    found = re.findall(rb"<[0-9a-f]{32}@" + domain + rb">", raw[:_MAX_READ_BYTES])
    return (text.decode() for text in dict.fromkeys(found[:_MAX_IDS]))


# --- reading; pure -----------------------------------------------------------------------------------------
def read(stored: StoredLetter, message: Message) -> Failure | None:
    """The failure that the bounce in `message` reports; None for any other letter. Never raises."""
    headers = message.headers
    if message.problem:  # only within our bounds the library does no harm
        return None if stored.sender else Failure(False, f"the bounce cannot be read: {message.problem}")
    is_report = headers.content_type == "multipart/report"
    if stored.sender and not is_report:
        return None
    found = _failures(stored.raw)
    return found or (_unclear(headers) if is_report or _comes_from_nobody(stored, headers) else None)


def _failures(raw: bytes) -> Failure | None:
    from flufl.bounce import all_failures  # for bounces only: all its formats come with it

    lines = raw[:_MAX_READ_BYTES].splitlines()[:_MAX_LINES]
    message = email.message_from_bytes(b"\n".join(line[:_MAX_LINE_BYTES] for line in lines))
    try:
        late, failed = all_failures(message)
    except Exception as error:  # a stranger's letter, and twenty formats that nobody has written down
        log.info("a bounce that the library cannot read", error=repr(error))
        return None
    if not (late or failed):
        return None
    return Failure(bool(failed), _diagnosis(message))


def _comes_from_nobody(stored: StoredLetter, headers: Headers) -> bool:
    """Answering machines use the null sender and the bounce address, too, but say so (RFC 3834)."""
    replied = headers.first("Auto-Submitted").lower().startswith("auto-replied")
    return stored.channel in CHANNELS_WITH_ENVELOPE and not replied


def _unclear(headers: Headers) -> Failure:
    return Failure(False, _short(headers.text("Subject")) or "(without a reason)")


def _diagnosis(report: email.message.Message) -> str:
    """The status and the words of the mail system that did not take it."""
    found = next(filter(None, map(_of_recipient, _status_blocks(report))), "")
    return found or _telling_line(report) or _short(str(report.get("Subject", ""))) or "(without a reason)"


def _status_blocks(report: email.message.Message) -> Iterator[email.message.Message]:
    """The blocks of a delivery status (RFC 3464): one about the report, and one for each recipient."""
    for part in report.walk():
        if part.get_content_type() == "message/delivery-status" and part.is_multipart():
            yield from (block for block in part.get_payload() if isinstance(block, email.message.Message))


def _of_recipient(block: email.message.Message) -> str:
    words = str(block.get("Diagnostic-Code", "")).partition(";")
    status = str(block.get("Status", "")).strip()
    text = (words[2] or words[0]).strip()
    return _short(text if text.startswith(status) or status in text else f"{status} {text}")


def _telling_line(report: email.message.Message) -> str:
    """The first line with something like `550` or `5.1.1` in it."""
    part = next((part for part in report.walk() if part.get_content_maintype() == "text"), None)
    payload = part.get_payload(decode=True) if part else None
    text = payload.decode("utf-8", "replace") if isinstance(payload, bytes) else ""
    return _short(next((line for line in text.splitlines() if _CODE.search(line)), ""))


def _short(text: str) -> str:
    return visible(text)[:_MAX_DIAGNOSIS_CHARACTERS]
