"""Letters to postmaster@, abuse@ and the like at the robot's domain (RFC 2142): the organizer gets them.

They are for people. The robot passes them on as they are.
"""

from __future__ import annotations

from datetime import datetime

from contest.config.settings import Settings
from contest.interfaces.protocols import Renderer
from contest.model import StoredLetter
from contest.store import Transaction
from mailserver.for_organizer import pass_letter_on
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
    how = pass_letter_on(tx, stored, _TEMPLATE, mail, settings, now)
    return f"a letter to {reached[0]}, {how}"
