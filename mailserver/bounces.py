"""Letters that say that a mail of ours did not arrive: whose mail it was, and why (M43).

A bounce is genuine if it comes to the signed address of that mail (VERP), or if it returns the
Message-ID of a mail of ours: only we, its reader and the mail systems between know that. Some mail
systems report to the robot's plain address, and the settings can do without signed ones. A bounce
only changes what the organizer is shown.
"""

from __future__ import annotations

import base64
import email.message
import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from contest.config.settings import Settings
from contest.model import Bounce, StoredLetter
from contest.util.log import log
from contest.util.sanitize import visible
from mailserver.reading.letter import Letter
from store import Transaction, contest_state, outbox
from store.outbox import OutboxItem

CHANNELS_WITH_ENVELOPE = ("smtp", "lmtp", "pipe")
# The library's patterns take time with the square of the number of lines and of their lengths.
# Reports say what they have to say at the beginning.
_MAX_READ_BYTES = 64_000
_MAX_LINES = 1_500
_MAX_LINE_BYTES = 400
_MAX_INNER_LETTERS = 50  # each may be in another one, which the library reads again for each line
_MAX_DIAGNOSIS_CHARACTERS = 300
_MAX_FIELD_CHARACTERS = 2_000
_MAX_IDS = 20
_ADDRESS_FIELDS = ("To", "Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To")
_CODE = re.compile(r"(?<![\w.])[45](?:[0-9]{2}|\.[0-9]{1,3}\.[0-9]{1,3})(?![\w.])")


@dataclass(frozen=True)
class TaggedAddress:
    """An address that looks like one for bounces of mail `item`, genuine or not."""

    robot: str
    item: int
    signature: str


@dataclass(frozen=True)
class BounceReport:
    """What a bounce reports: whether the mail is lost, and the other mail system's message on one
    line."""

    permanent: bool
    diagnosis: str


@dataclass(frozen=True)
class BounceSigns:
    """What in a letter may say that it is a bounce.

    `tagged`: the addresses for bounces that it came to; `returned`: Message-IDs like ours that it
    brings back; `report`: what it reports, None for a letter that is no bounce.
    """

    tagged: tuple[TaggedAddress, ...] = ()
    returned: tuple[str, ...] = ()
    report: BounceReport | None = None


def returned_mail(tx: Transaction, signs: BounceSigns, settings: Settings) -> OutboxItem | None:
    """Return the mail of ours that the letter with these signs is about; None if it is no bounce of
    one."""
    if signs.report is None:
        return None
    return _addressed(tx, signs, settings) or _returned(tx, signs)


def note(
    tx: Transaction, stored: StoredLetter, report: BounceReport, mail: OutboxItem, now: datetime
) -> str:
    """Record a bounce with the mail that it is about. Returns a line for the journal."""
    outbox.came_back(tx, mail.id, Bounce(stored.id, now, report.permanent, report.diagnosis))
    what = "came back" if report.permanent else "is late"
    text = f"mail {mail.id} to {mail.to} {what}: {report.diagnosis}"
    contest_state.note(tx, "delivery", text, now)
    return text


def _addressed(tx: Transaction, signs: BounceSigns, settings: Settings) -> OutboxItem | None:
    """Return the mail to whose bounce address this letter came."""
    if not signs.tagged:
        return None
    ids = bounced_items(signs.tagged, settings.contest.address, contest_state.secret(tx))
    return outbox.get(tx, ids[0]) if ids else None


def _returned(tx: Transaction, signs: BounceSigns) -> OutboxItem | None:
    """Return the mail whose Message-ID this letter brings back."""
    ids = (outbox.id_of(tx, message_id) for message_id in signs.returned)
    found = next((item_id for item_id in ids if item_id is not None), None)
    return None if found is None else outbox.get(tx, found)


# --- reading; pure --------------------------------------------------------------------------------
def signs(stored: StoredLetter, letter: Letter, settings: Settings) -> BounceSigns:
    """Return the signs in this letter; most letters have none. `letter`: the same one, read."""
    tagged = _tagged(stored, letter) if settings.mail.verp else ()
    returned = _message_ids_like_ours(stored.raw, settings.contest.address)
    if not tagged and not returned:
        return BounceSigns()
    return BounceSigns(tagged, returned, read(stored, letter))


def _tagged(stored: StoredLetter, letter: Letter) -> tuple[TaggedAddress, ...]:
    fields = (field for name in _ADDRESS_FIELDS for field in letter.headers.all(name))
    text = " ".join((*stored.recipients, *(field[:_MAX_FIELD_CHARACTERS] for field in fields)))
    return tagged_addresses(text)


def _message_ids_like_ours(raw: bytes, robot: str) -> tuple[str, ...]:
    domain = re.escape(robot.rpartition("@")[2]).encode()
    found = re.findall(rb"<[0-9a-f]{32}@" + domain + rb">", raw[:_MAX_READ_BYTES])
    return tuple(text.decode() for text in dict.fromkeys(found[:_MAX_IDS]))


def read(stored: StoredLetter, letter: Letter) -> BounceReport | None:
    """Return what the bounce reports; None for any other letter. Never raises."""
    headers = letter.headers
    if letter.beyond:  # only within our bounds the library does no harm
        problem = f"the bounce cannot be read: {letter.beyond}"
        return None if stored.sender else BounceReport(False, problem)
    is_report = headers.content_type == "multipart/report"
    if stored.sender and not is_report:
        return None
    if found := _failures(stored.raw):
        return found
    # Answering machines use the null sender and the bounce address, too, but say so (RFC 3834).
    replied = headers.first("Auto-Submitted").lower().startswith("auto-replied")
    if not is_report and (replied or stored.channel not in CHANNELS_WITH_ENVELOPE):
        return None
    return BounceReport(False, _short(headers.text("Subject")) or "(without a reason)")


def _failures(raw: bytes) -> BounceReport | None:
    """Return what the library finds; None if it finds no failure."""
    from flufl.bounce import all_failures  # for bounces only: all its formats come with it

    lines = raw[:_MAX_READ_BYTES].splitlines()[:_MAX_LINES]
    begin = b"\n".join(line[:_MAX_LINE_BYTES] for line in lines)
    if begin.lower().count(b"message/") > _MAX_INNER_LETTERS:
        return None
    try:
        message = email.message_from_bytes(begin)
        late, failed = all_failures(message)
        return BounceReport(bool(failed), _diagnosis(message)) if late or failed else None
    except Exception as error:
        # a stranger's letter, and twenty formats that nobody has written down
        log.info("a bounce that the library cannot read", error=repr(error))
        return None


def _diagnosis(report: email.message.Message) -> str:
    """Return the status and the words of the mail system that did not take it, or the first line
    with something like `550` or `5.1.1` in it, or the subject."""
    # A delivery status (RFC 3464) has a block about the report, and one for each recipient.
    for part in report.walk():
        if part.get_content_type() == "message/delivery-status" and part.is_multipart():
            for block in part.get_payload():
                if isinstance(block, email.message.Message) and (found := _of_recipient(block)):
                    return found
    text_part = next(
        (part for part in report.walk() if part.get_content_maintype() == "text"), None
    )
    payload = text_part.get_payload(decode=True) if text_part else None
    text = payload.decode("utf-8", "replace") if isinstance(payload, bytes) else ""
    telling = _short(next((line for line in text.splitlines() if _CODE.search(line)), ""))
    return telling or _short(str(report.get("Subject", ""))) or "(without a reason)"


def _of_recipient(block: email.message.Message) -> str:
    words = str(block.get("Diagnostic-Code", "")).partition(";")
    status = str(block.get("Status", "")).strip()
    text = (words[2] or words[0]).strip()
    return _short(text if text.startswith(status) or status in text else f"{status} {text}")


def _short(text: str) -> str:
    return visible(text)[:_MAX_DIAGNOSIS_CHARACTERS]


# --- addresses for bounces; pure ------------------------------------------------------------------
# `knobeln+b-17-k7qd2mxw9rtzh4pc@contest.example`: its last word is a signature with the contest's
# secret. The reader of mail 17 cannot make up the address of mail 18, and so cannot report other
# teams' mails as undeliverable. It is in lower case, as some mail systems change case.
_TAGGED = re.compile(
    r"(?ia)(?<![^\s<>,;:\"'])([^\s<>,;:\"'@]+)\+b-([0-9]{1,12})-([a-z2-7]{16})@([^\s<>,;:\"'@]+)"
)
_SIGNATURE_BYTES = 10


def bounce_address(robot: str, item_id: int, secret: bytes) -> str:
    """Return the address for bounces of this mail of the outbox."""
    name, _, domain = robot.rpartition("@")
    return f"{name}+b-{item_id}-{_signature(item_id, secret)}@{domain}"


def tagged_addresses(text: str) -> tuple[TaggedAddress, ...]:
    """Return the addresses in this text (headers, recipients) that look like ones for bounces."""
    return tuple(
        TaggedAddress(f"{found[1]}@{found[4]}", int(found[2]), found[3].lower())
        for found in _TAGGED.finditer(text)
    )


def bounced_items(tagged: Iterable[TaggedAddress], robot: str, secret: bytes) -> tuple[int, ...]:
    """Return the mails of the outbox whose genuine bounce addresses are among these."""
    return tuple(
        each.item
        for each in tagged
        if each.robot.casefold() == robot.casefold()
        and hmac.compare_digest(each.signature, _signature(each.item, secret))
    )


def _signature(item_id: int, secret: bytes) -> str:
    digest = hmac.digest(secret, f"bounce/{item_id}".encode(), hashlib.sha256)
    return base64.b32encode(digest[:_SIGNATURE_BYTES]).decode().lower()
