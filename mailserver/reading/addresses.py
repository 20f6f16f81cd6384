"""Mail addresses, read strictly: the standard library's reader can be fooled (M38). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from email_validator import EmailNotValidError, validate_email

from contest.language import gettext

_MAX_FIELD_CHARACTERS = 1000
_PLAIN = r"[^\s<>()@,:;\"\\\[\]]+@[^\s<>()@,:;\"\\\[\]]+"
_COMMENT = r"(?:\s*\([^()\\]*\))?"
# One mailbox: `address`, `address (Name)`, `Name <address>`, `"Name, First" <address>`.
_MAILBOX = re.compile(
    rf"\s*(?:({_PLAIN})|(?:\"(?:[^\"\\]|\\.)*\"|[^<>()@,:;\"\\\[\]])*<\s*({_PLAIN})\s*>){_COMMENT}\s*"
)
# Local machines, and numbers in place of names.
_NO_DOMAIN = re.compile(r"(?:.*\.)?(?:localhost|localdomain|[0-9]+)")
_INVALID = re.compile(r"(?i)\.invalid$")
_WRITABLE = re.compile(r"[\x21-\x7e]+@[^\s@]+")


@lru_cache(maxsize=1_024)  # a letter has the same address in several places, and the library takes its time
def check(text: str) -> tuple[str | None, str]:
    """(The address in its one spelling, "") or (None, why this is no Internet domain style address).

    No list of top-level domains, and nothing is looked up: the announcement's sample ends in `.alfdkj` (K29).
    """
    if not _WRITABLE.fullmatch(text):
        return (
            None,
            gettext(
                "it must be one address of the form name@domain, without blanks and without a display name"
            ),
        )
    # The library lets the reserved `.test` and `.example` pass, but not `.invalid`, as good to try with.
    tested = _INVALID.sub(".test", text)
    try:
        found = validate_email(
            tested, check_deliverability=False, test_environment=True, allow_smtputf8=False, strict=True
        )
    except EmailNotValidError as error:
        return None, str(error)
    address = found.ascii_email or found.normalized
    if tested != text:
        address = address.removesuffix(".test") + ".invalid"
    host = address.rpartition("@")[2]
    if "." not in host or _NO_DOMAIN.fullmatch(host):
        return None, gettext(
            "the part after the @ must be an Internet domain, neither this machine nor a number"
        )
    return address, ""


def mailbox(field: str) -> str | None:
    """The address in a From or Reply-To field that holds exactly one mailbox; None for anything else."""
    if len(field) > _MAX_FIELD_CHARACTERS:
        return None
    match = _MAILBOX.fullmatch(field)
    return check(match[1] or match[2])[0] if match else None


def without_tag(address: str) -> str:
    """`name+tag@domain` -> `name@domain`, casefolded: how an address is compared with our own."""
    name, at, domain = address.casefold().rpartition("@")
    return name.partition("+")[0] + at + domain


# These providers ignore dots in a name: a.b@ and ab@ are one mailbox. Several of their domains are one, too.
_WITHOUT_DOTS = {
    "gmail.com": "gmail.com",
    "googlemail.com": "gmail.com",
    "proton.me": "proton.me",
    "protonmail.com": "proton.me",
    "pm.me": "proton.me",
}


@lru_cache(maxsize=65_536)  # a registration asks for those of many teams
def mailbox_of(address: str) -> str:
    """One spelling for all addresses that reach the same mailbox: without a tag, in small letters."""
    name, _, domain = without_tag(address).rpartition("@")
    if domain in _WITHOUT_DOTS:
        return f"{name.replace('.', '')}@{_WITHOUT_DOTS[domain]}"
    return f"{name}@{domain}"


def domain_of(address: str) -> str:
    return address.rpartition("@")[2].casefold()


def is_one_of(address: str, ours: Iterable[str]) -> bool:
    """Whether the address reaches the same mailbox as one of ours, with whatever tag."""
    return without_tag(address) in {without_tag(own) for own in ours}


def is_for(address: str, ours: Iterable[str]) -> bool:
    """Whether a letter to this address is for us: it is one of ours, or one of ours with a further tag.

    The letters to `robot+b-17@x` are for `robot@x`. Those to `robot+autumn@x` are for `robot@x`, too, but not
    for `robot+spring@x`.
    """
    name, _, domain = address.casefold().rpartition("@")
    tags = name.split("+")
    spellings = {f"{'+'.join(tags[:count])}@{domain}" for count in range(1, len(tags) + 1)}
    return not spellings.isdisjoint(own.casefold() for own in ours)
