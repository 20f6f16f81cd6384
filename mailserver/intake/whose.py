"""Tells whose letter this is, where several contests or people share a mailbox. Pure.

What counts is what the mail system of the mailbox wrote on top when it delivered the letter. Below
that stands what others wrote: forwarders, lists, and the sender, who may forge it. So no forged
field keeps a letter from us, but any field that names us makes it ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from contest.schema.sections import Contest
from mailserver.intake import envelope
from mailserver.reading.addresses import is_for, is_role, without_tag

# the header fields that tell whose a letter is, or that it may be a bounce
FIELDS = ("To", "Cc", "Content-Type", "Return-Path", *envelope.RECIPIENT_FIELDS)
_RECEIVED = re.compile(r"received[ \t]*:", re.IGNORECASE)
_BY_LMTP = re.compile(r"\bwith LMTPS?A?\b")
_NO_ADDRESS = re.compile(r"[\s<>,;:\"()]+")


def other_recipient(head: bytes, contest: Contest, account: str) -> str:
    """Return the address that the letter was plainly sent to, if that is none of ours; "" if it is
    ours.

    `head`: the letter's headers; `account`: the name of the mailbox at its server. An account gets
    letters to many addresses, so its name alone says nothing. A letter is ours, too, if its writer
    names us, and knows nothing of the address that it was delivered to. In a person's mailbox only
    a letter that names us is ours.
    """
    recipients = envelope.of(head).recipients
    written = {address.casefold() for address in _written(head)}
    if person := owner(contest, account):
        names_us = any(is_for(address, contest.addresses) for address in (*recipients, *written))
        return "" if names_us else person
    ours = {address for address in written if _is_ours(address, contest)}
    if ours == {contest.organizer_address.casefold()}:
        return contest.organizer_address
    if any(_is_ours(address, contest) for address in recipients):
        return ""
    for address in envelope.of(_on_top(head)).recipients:
        is_written = address.casefold() in written
        if _is_account(address, account):
            is_plain = is_written and not ours
        else:
            is_plain = is_written or not ours
        if is_plain:
            return address
    return ""


def owner(contest: Contest, account: str) -> str:
    """Return the address of the person in whose mailbox the contest has only a tag; "" if all is
    ours."""
    plain = without_tag(contest.address.casefold())
    is_tagged = plain != contest.address.casefold()
    return plain if is_tagged and _is_account(plain, account) else ""


def is_expected(address: str, contest: Contest) -> bool:
    """Return whether letters to this address stay in the mailbox because the organizer reads them
    there."""
    return address in (contest.organizer_address, without_tag(contest.address.casefold()))


def is_report(head: bytes) -> bool:
    """Return whether the letter may be a bounce, whose text names the mail that came back.

    Not all are reports by their type, but all come from the null sender.
    """
    kinds = envelope.fields(head, b"content-type")
    is_typed = any("report" in kind.lower() for kind in kinds)
    return is_typed or "<>" in envelope.fields(head, b"return-path")


def _is_ours(address: str, contest: Contest) -> bool:
    return is_for(address, contest.addresses) or is_role(address, contest)


def _on_top(head: bytes) -> bytes:
    """Return the fields of the mail system of the mailbox: those above the first hop.

    What brought the letter into the mailbox by LMTP is the same system.
    """
    lines = envelope.lines_of(head)
    hops = (number for number, line in enumerate(lines) if _RECEIVED.match(line))
    for number in hops:
        if not _BY_LMTP.search(_unfolded(lines, number)):
            lines = lines[:number]
            break
    return "\n".join(lines).encode("latin-1")


def _unfolded(lines: list[str], first: int) -> str:
    """Return the field that begins in this line."""
    last = first + 1
    while last < len(lines) and lines[last][:1] in (" ", "\t"):
        last += 1
    return " ".join(lines[first:last])


def _written(head: bytes) -> Iterator[str]:
    """Yield what may be addresses in the fields To and Cc."""
    for field in envelope.fields(head, b"to", b"cc"):
        yield from (word for word in _NO_ADDRESS.split(field) if "@" in word)


def _is_account(address: str, account: str) -> bool:
    """Return whether this is the name of the mailbox, with or without its domain."""
    name, _, domain = account.casefold().partition("@")
    local, _, its_domain = address.casefold().rpartition("@")
    if not local:  # a name without a domain is never an address of a contest
        return True
    return local == name and domain in ("", its_domain)
