"""Letters to postmaster@, abuse@ and the like at the robot's domain (RFC 2142): the organizer gets them.

They are for people. The robot passes them on as they are, a few in an hour and the others later, so that
nobody floods the organizer, and no letter is lost.
"""

from __future__ import annotations

from datetime import datetime

from contest.config.settings import Settings
from contest.model import Attachment, Outgoing, StoredLetter
from contest.protocols import Rendered, Renderer
from contest.store import Transaction, outbox
from mailserver.limits import HOUR
from mailserver.reading import addresses
from mailserver.reading.letter import Letter

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
    """Queue the letter for the organizer if it came to such an address only; "" = it did not.

    Returns a note for the journal.
    """
    ours = (settings.contest.address, *settings.contest.aliases)
    reached = [each for each in stored.recipients if is_role(each, settings)]
    if not reached or any(addresses.is_for(each, ours) for each in stored.recipients):
        return ""
    mail = renderer.render(
        _TEMPLATE, to=reached[0], sender=letter.answer_to or stored.sender, letter_subject=letter.subject
    )
    to_organizer(tx, stored, _TEMPLATE, mail, settings, now)
    return f"a letter to {reached[0]}, passed on to the organizer"


def to_organizer(
    tx: Transaction, stored: StoredLetter, template: str, mail: Rendered, settings: Settings, now: datetime
) -> None:
    """Queue this mail for the organizer, with the letter attached as it came."""
    to = settings.contest.organizer_address
    outgoing = Outgoing(
        key=f"letter/{stored.id}/{template}",
        kind=template,
        to=to,
        subject=mail.subject,
        body=mail.body,
        attachments=(Attachment("letter.eml", "application/octet-stream", stored.raw),),
    )
    full_since = outbox.nth_newest(tx, to, template, settings.mail.answers_per_hour, now - HOUR)
    outbox.put(tx, outgoing, settings, now, full_since + HOUR if full_since else now)
