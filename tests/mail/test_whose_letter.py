"""Whose letter it is, by what mail systems wrote on top of it."""

import pytest

from contest.schema.sections import Contest
from mailserver.intake.whose import other_recipient

SPRING = Contest(
    address="spring@contest.example",
    aliases=("knobeln@contest.example",),
    organizer_address="organizer@contest.example",
)
ACCOUNT = "robots@contest.example"
AUTUMN = "autumn@contest.example"
ON_ARRIVAL = "Received: from mx.club.example by mx.contest.example with ESMTPS; today\n"
LMTP = "Received: from mx\n\tby imap.contest.example with LMTP\n\tid x; today\n"
WRITTEN = "From: joe@club.example\nSubject: status\n"
TO_SPRING = "To: spring@contest.example\n"
TO_AUTUMN = "To: Autumn <autumn@contest.example>\n"
TO_BOTH = "To: spring@contest.example,\n autumn@contest.example\n"

OURS = [
    ("no trace", "", ON_ARRIVAL + TO_AUTUMN),
    ("no header", "", ""),
    ("our address", "Delivered-To: spring@contest.example\n", ON_ARRIVAL + TO_SPRING),
    ("other letters", "DELIVERED-TO: <Spring@Contest.Example>\n", ON_ARRIVAL + TO_SPRING),
    ("an alias of ours", "Delivered-To: knobeln@contest.example\n", ON_ARRIVAL + TO_AUTUMN),
    ("a bounce", "Delivered-To: spring+b-1-aaaaaaaaaaaaaaaa@contest.example\n", ON_ARRIVAL),
    ("Bcc", "Delivered-To: spring@contest.example\n", ON_ARRIVAL + "To: friends@club.example\n"),
    ("a list", "Delivered-To: spring@contest.example\n", ON_ARRIVAL + "To: list@lists.example\n"),
    (
        "forwarded by an alias of another domain",
        f"Delivered-To: {ACCOUNT}\n",
        ON_ARRIVAL + "Delivered-To: spring@contest.example\n" + TO_AUTUMN,
    ),
    ("the account", f"Delivered-To: {ACCOUNT}\n", ON_ARRIVAL + TO_SPRING),
    ("the account, Bcc", f"Delivered-To: {ACCOUNT}\n", ON_ARRIVAL + "To: friends@club.example\n"),
    ("the account without its domain", "Delivered-To: robots\n", ON_ARRIVAL + TO_AUTUMN),
    ("an account that nobody writes to", "Delivered-To: u17@host.example\n", TO_SPRING),
    (
        "a forged field below the first hop",
        f"Delivered-To: {ACCOUNT}\n",
        ON_ARRIVAL + f"Delivered-To: {AUTUMN}\n" + TO_SPRING,
    ),
    ("the same without any of our own", "", ON_ARRIVAL + f"X-Original-To: {AUTUMN}\n" + TO_SPRING),
    (
        "the same, and Bcc",
        f"Delivered-To: {ACCOUNT}\n",
        ON_ARRIVAL + f"Envelope-To: {AUTUMN}\nTo: friends@club.example\n",
    ),
    ("a field that is a list", f"Envelope-To: {AUTUMN}, spring@contest.example\n", ON_ARRIVAL),
    ("no address at all", "Delivered-To: mailing list friends\n", ON_ARRIVAL + TO_AUTUMN),
    ("a role of ours", "Delivered-To: postmaster@contest.example\n", ON_ARRIVAL),
    ("Exim", "Envelope-to: spring@contest.example\nDelivery-date: today\n", ON_ARRIVAL + TO_AUTUMN),
    (
        "Postfix, an alias",
        f"Return-Path: <joe@club.example>\nX-Original-To: spring@contest.example\n"
        f"Delivered-To: {ACCOUNT}\n",
        ON_ARRIVAL + TO_AUTUMN,
    ),
    (
        "to both, the copy for us",
        "Delivered-To: spring@contest.example\n",
        ON_ARRIVAL + TO_BOTH,
    ),
]

OTHERS = [
    ("another contest", f"Delivered-To: {AUTUMN}\n", ON_ARRIVAL + TO_AUTUMN, AUTUMN),
    ("Bcc to it", f"Delivered-To: {AUTUMN}\n", ON_ARRIVAL + "To: joe@club.example\n", AUTUMN),
    ("to both, its copy", f"Delivered-To: {AUTUMN}\n", ON_ARRIVAL + TO_BOTH, AUTUMN),
    ("Exim", f"Envelope-to: {AUTUMN}\n", ON_ARRIVAL + TO_AUTUMN, AUTUMN),
    ("Fastmail", f"X-Delivered-To: {AUTUMN}\n", ON_ARRIVAL + TO_AUTUMN, AUTUMN),
    (
        "Postfix, an alias",
        f"X-Original-To: {AUTUMN}\nDelivered-To: {ACCOUNT}\n",
        ON_ARRIVAL + TO_AUTUMN,
        AUTUMN,
    ),
    (
        "Postfix before Dovecot",
        f"Delivered-To: {ACCOUNT}\n",
        LMTP + f"X-Original-To: {AUTUMN}\n" + ON_ARRIVAL + TO_AUTUMN,
        AUTUMN,
    ),
    (
        "a tag of the account",
        "Delivered-To: robots+autumn@contest.example\n",
        ON_ARRIVAL,
        "robots+autumn@contest.example",
    ),
    ("the account itself", f"Delivered-To: {ACCOUNT}\n", f"{ON_ARRIVAL}To: {ACCOUNT}\n", ACCOUNT),
    (
        "an alias that we do not know",
        "Delivered-To: contest@contest.example\n",
        ON_ARRIVAL + "To: contest@contest.example\n",
        "contest@contest.example",
    ),
    (
        "the organizer",
        "Delivered-To: organizer@contest.example\n",
        ON_ARRIVAL,
        "organizer@contest.example",
    ),
    (
        "our name in another domain",
        "Delivered-To: spring@autumn.example\n",
        ON_ARRIVAL,
        "spring@autumn.example",
    ),
]


def whose(head: str, end: str = "\n") -> str:
    raw = (head + WRITTEN).replace("\n", end).encode()
    return other_recipient(raw + end.encode(), SPRING, ACCOUNT)


@pytest.mark.parametrize(("name", "top", "rest"), OURS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_letter_is_ours_unless_it_plainly_went_elsewhere(
    name: str, top: str, rest: str, end: str
) -> None:
    assert whose(top + rest, end) == "", name


@pytest.mark.parametrize(("name", "top", "rest", "to"), OTHERS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_letter_that_went_to_another_address_is_not_ours(
    name: str, top: str, rest: str, to: str, end: str
) -> None:
    assert whose(top + rest, end) == to, name
