"""Letters that no command answers: those of machines (M32, M37, M43-M47), and those to the people behind the
robot."""

from __future__ import annotations

from datetime import datetime

from contest.config.settings import Settings
from contest.interfaces.protocols import Renderer
from contest.model import StoredLetter
from contest.store import Transaction
from mailserver.for_organizer import pass_letter_on
from mailserver.reading import addresses, mime_parts
from mailserver.reading.letter import Letter

CHANNELS_WITH_ENVELOPE = ("smtp", "lmtp", "pipe")


def why_ignored(stored: StoredLetter, letter: Letter, settings: Settings) -> str:
    """Why no answer may go out; "" = one may. We handle no letter that we cannot answer (X7)."""
    if letter.automatic:
        return letter.automatic
    if mime_parts.count_hops(stored.raw) > mime_parts.MAX_HOPS:
        return f"it goes round in circles: more than {mime_parts.MAX_HOPS} Received fields"
    if not stored.sender and stored.channel in CHANNELS_WITH_ENVELOPE:
        return "a bounce (null envelope sender)"
    if letter.sender is None:
        return "; ".join(letter.problems) or "there is no usable address in From"
    ours = (settings.contest.address, *settings.contest.aliases)
    if any(address and addresses.is_one_of(address, ours) for address in (letter.sender, letter.reply_to)):
        return "it comes from our own address"
    return ""


_ROLES = frozenset(
    ("postmaster", "abuse", "hostmaster", "webmaster", "www", "security", "noc", "info", "support")
)
_TEMPLATE = "passed_on"


def is_role(address: str, settings: Settings) -> bool:
    """Whether this is a role's address here; none is if the organizer's own address is one of them.

    Then the organizer's mail would come back to us. `postmaster` alone is ours, too (RFC 5321, 4.1.1.3).
    """
    contest = settings.contest
    domains = set(map(addresses.domain_of, (contest.address, *contest.aliases)))
    known = {f"{role}@{domain}" for role in _ROLES for domain in domains}
    plain = addresses.without_tag(address)
    return contest.organizer_address.casefold() not in known and (plain == "postmaster" or plain in known)


def pass_on(
    tx: Transaction,
    stored: StoredLetter,
    letter: Letter,
    settings: Settings,
    renderer: Renderer,
    now: datetime,
) -> str:
    """Queue the letter for the organizer if it came only to a role's address; "" = it did not.

    Returns a note for the journal.
    """
    ours = (settings.contest.address, *settings.contest.aliases)
    reached = [each for each in stored.recipients if is_role(each, settings)]
    if not reached or any(addresses.is_for(each, ours) for each in stored.recipients):
        return ""
    mail = renderer.render(
        _TEMPLATE, to=reached[0], sender=letter.answer_to or stored.sender, letter_subject=letter.subject
    )
    how = pass_letter_on(tx, stored, _TEMPLATE, mail, settings, now)
    return f"a letter to {reached[0]}, {how}"
