"""Mail addresses, read strictly: the standard library's reader can be fooled (M38). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from email_validator import EmailNotValidError, validate_email

from contest.language import gettext, noted
from contest.schema.sections import Contest

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

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
_WRITABLE = re.compile(r"(?=.{1,1000}\Z)[\x21-\x7e]+@[^\s@]+")


_NO_FORM = noted(
    "it must be one address of the form name@domain, without blanks and without a display name"
)
_WRONG_NAME = noted(
    "the part before the @ is too long, or has a sign or a dot where no address may have one"
)
_WRONG_DOMAIN = noted("the part after the @ is no domain, such as machine.example")
_LOCAL_DOMAIN = noted(
    "the part after the @ must be an Internet domain, neither this machine nor a number"
)


def check(text: str) -> tuple[str | None, str]:
    """(The address in its one spelling, "") or (None, why this is no Internet domain style
    address).

    No list of top-level domains, and nothing is looked up: the announcement's sample ends in
    `.alfdkj` (K29).
    """
    address, why = _checked(text)
    return address, gettext(why) if why else ""


# a letter has the same address in several places, and the library takes its time
@lru_cache(maxsize=1_024)
def _checked(text: str) -> tuple[str | None, str]:
    """As `check`, with the reason in no language yet: the library has its own in English alone."""
    if not _WRITABLE.fullmatch(text):
        return None, _NO_FORM
    # The library lets the reserved `.test` and `.example` pass, but not `.invalid`, as good to try
    # with.
    tested = _INVALID.sub(".test", text)
    try:
        found = validate_email(
            tested,
            check_deliverability=False,
            test_environment=True,
            allow_smtputf8=False,
            strict=True,
        )
    except EmailNotValidError as error:
        is_of_domain = "after the @" in str(error)
        return None, _WRONG_DOMAIN if is_of_domain else _WRONG_NAME
    address = found.ascii_email or found.normalized
    if tested != text:
        address = address.removesuffix(".test") + ".invalid"
    host = address.rpartition("@")[2]
    if "." not in host or _NO_DOMAIN.fullmatch(host):
        return None, _LOCAL_DOMAIN
    return address, ""


def mailbox(field: str) -> str | None:
    """The address in a From or Reply-To field that holds exactly one mailbox; None for anything
    else."""
    if len(field) > _MAX_FIELD_CHARACTERS:
        return None
    match = _MAILBOX.fullmatch(field)
    return check(match[1] or match[2])[0] if match else None


def without_tag(address: str) -> str:
    """`name+tag@domain` -> `name@domain`, casefolded: how an address is compared with our own."""
    name, at, domain = address.casefold().rpartition("@")
    return name.partition("+")[0] + at + domain


# Some providers ignore signs in a name, and several of their domains have the same mailboxes.
_SAME_MAILBOXES = {
    "googlemail.com": "gmail.com",
    "protonmail.com": "proton.me",
    "protonmail.ch": "proton.me",
    "pm.me": "proton.me",
    "me.com": "icloud.com",
    "mac.com": "icloud.com",
}
_IGNORED_SIGNS = {"gmail.com": ".", "proton.me": ".-_"}
# These have domains in many countries; joe@ may be somebody else in each.
_PROVIDERS = {
    "hotmail": "outlook.com",
    "live": "outlook.com",
    "msn": "outlook.com",
    "outlook": "outlook.com",
    "yahoo": "yahoo.com",
    "ymail": "yahoo.com",
    "rocketmail": "yahoo.com",
    "gmx": "gmx.net",
}
_END_OF_FAMILY = re.compile(r"(?<=.)[-_.=].*")


@lru_cache(maxsize=65_536)  # a registration asks for those of many teams
def mailbox_of(address: str) -> str:
    """One spelling for all addresses that reach the same mailbox: without a tag, in small
    letters."""
    name, _, domain = without_tag(address).rpartition("@")
    domain = _SAME_MAILBOXES.get(domain, domain)
    ignored = _IGNORED_SIGNS.get(domain, "")
    return f"{name.translate(dict.fromkeys(map(ord, ignored)))}@{domain}"


@lru_cache(maxsize=65_536)
def provider_of(domain: str) -> str:
    """The registered domain: that of a subdomain, and one for all domains of a large provider."""
    registered = _public_suffixes().privatesuffix(domain) or domain
    domain = _SAME_MAILBOXES.get(registered, registered)
    return _PROVIDERS.get(domain.partition(".")[0], domain)


def family_of(mailbox: str) -> str:
    """One spelling for mailboxes that may be one person's: some servers read `joe-x@` and `joe_x@`
    as tags of `joe@`, take letters for all their subdomains, or have several domains."""
    name, _, domain = mailbox.rpartition("@")
    return f"{_END_OF_FAMILY.sub('', name)}@{provider_of(domain)}"


@cache
def _public_suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList  # reads its list, which takes some time

    return PublicSuffixList()


def domain_of(address: str) -> str:
    return address.rpartition("@")[2].casefold()


def is_one_of(address: str, ours: Iterable[str]) -> bool:
    """Whether the address reaches the same mailbox as one of ours, with whatever tag."""
    return without_tag(address) in {without_tag(own) for own in ours}


def is_for(address: str, ours: Iterable[str]) -> bool:
    """Whether a letter to this address is for us: it is one of ours, or one of ours with a further
    tag.

    The letters to `robot+b-17@x` are for `robot@x`. Those to `robot+autumn@x` are for `robot@x`,
    too, but not for `robot+spring@x`.
    """
    name, _, domain = address.casefold().rpartition("@")
    tags = name.split("+")
    spellings = {f"{'+'.join(tags[:count])}@{domain}" for count in range(1, len(tags) + 1)}
    return not spellings.isdisjoint(own.casefold() for own in ours)


_ROLES = frozenset(
    ("postmaster", "abuse", "hostmaster", "webmaster", "www", "security", "noc", "info", "support")
)


def is_role(address: str, contest: Contest) -> bool:
    """Whether this is a role's address here; none is if the organizer's own address is one of them.

    Then the organizer's mail would come back to us. `postmaster` alone is ours, too (RFC 5321,
    4.1.1.3).
    """
    domains = set(map(domain_of, contest.addresses))
    known = {f"{role}@{domain}" for role in _ROLES for domain in domains}
    plain = without_tag(address)
    return contest.organizer_address.casefold() not in known and (
        plain == "postmaster" or plain in known
    )
