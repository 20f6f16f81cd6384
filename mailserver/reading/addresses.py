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
_MAX_ADDRESS_CHARACTERS = 320  # RFC 3696, 3
_PLAIN = r"[^\s<>()@,:;\"\\\[\]]+@[^\s<>()@,:;\"\\\[\]]+"
_QUOTED = r"\"(?:[^\"\\]|\\.)*\""
_ROUTE = r"(?:@[^\s<>()@:;\"\\]+:)?"
_PHRASE = rf"(?:{_QUOTED}|[^<>()@,:;\"\\\[\]])"
# One mailbox without its comments: `address`, `Name <address>`, `"Name, First" <address>`.
_MAILBOX = re.compile(rf"\s*(?:({_PLAIN})|{_PHRASE}*<\s*{_ROUTE}({_PLAIN})\s*>)\s*")
_COMMENTS = re.compile(rf"{_QUOTED}|\\.|[()]|[^\"\\()]+|[\"\\]", re.DOTALL)
_LIST = re.compile(rf"{_QUOTED}|<[^<>]*>|[,:;]|[^\"<,:;]+|[\"<]", re.DOTALL)
_GROUP_NAME = re.compile(rf"(?=.*\S){_PHRASE}+")
# `"joe"@machine` is `joe@machine`, where the quotation marks are not needed
_NEEDLESSLY_QUOTED = re.compile(r"\"([\w.+=-]{1,64})\"(?=@)")
_IN_BRACKETS = re.compile(r"<([^<>]*)(?:>|\Z)")
_WORDS = re.compile(r"[\s<>()\[\],:;\"]+")
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


def mailboxes(field: str) -> tuple[str, ...] | None:
    """Return the addresses in a field such as From, if it is right; None for anything else.

    A right one may have several mailboxes, groups and comments (RFC 5322, 3.4).
    """
    if len(field) > _MAX_FIELD_CHARACTERS:
        return None
    plain = without_comments(_NEEDLESSLY_QUOTED.sub(r"\1", field))
    pieces = None if plain is None else _members(plain)
    if pieces is None:
        return None
    found = [_MAILBOX.fullmatch(piece) for piece in pieces]
    read = [check(match[1] or match[2])[0] if match else None for match in found]
    addresses = tuple(dict.fromkeys(filter(None, read)))
    return None if None in read else addresses


def mailbox(field: str) -> str | None:
    """Return the address in a right field that holds exactly one mailbox; None for anything
    else."""
    found = mailboxes(field) or ()
    return found[0] if len(found) == 1 else None


def meant_mailbox(field: str) -> str | None:
    """Return the address that a field means, also a wrong one; None if it may mean several, or
    none.

    In a wrong field it is the only address in angle brackets, or the only address at all if there
    are no angle brackets. What stands before them is a name, whatever it looks like.
    """
    found = mailboxes(field)
    if found is not None or len(field) > _MAX_FIELD_CHARACTERS:
        return found[0] if found is not None and len(found) == 1 else None
    brackets = list(_IN_BRACKETS.finditer(field))
    if brackets and "@" in field[brackets[-1].end() :]:
        return None
    words = [bracket[1] for bracket in brackets] if brackets else _WORDS.split(field)
    read = {_bare(word) for word in words if "@" in word}
    return check(read.pop())[0] if len(read) == 1 else None


def all_in(field: str) -> tuple[str, ...]:
    """Return all outside of quotation marks that looks like an address in a field, right or
    wrong."""
    plain = re.sub(_QUOTED, " ", field[:_MAX_FIELD_CHARACTERS])
    words = (_bare(word) for word in _WORDS.split(plain) if "@" in word)
    return tuple(word for word in words if len(word) <= _MAX_ADDRESS_CHARACTERS)


def _bare(word: str) -> str:
    """`mailto:joe@machine.` -> `joe@machine`"""
    text = word.strip(" \t.'")
    return text[len("mailto:") :] if text.casefold().startswith("mailto:") else text


def without_comments(field: str) -> str | None:
    """Return the field without `(comments)`, which may be nested; None if a bracket has no other
    one."""
    kept, depth = [], 0
    for piece in _COMMENTS.findall(field):
        if piece in ("(", ")"):
            depth += 1 if piece == "(" else -1
        elif depth == 0:
            kept.append(piece)
        if depth < 0:
            return None
    return None if depth else "".join(kept)


def _members(field: str) -> list[str] | None:
    """Return the mailboxes in a list of mailboxes and groups, not read yet; None if a group is
    wrong."""
    members, is_group = [""], False
    for piece in _LIST.findall(field):
        if piece == ":" and (is_group or not _GROUP_NAME.fullmatch(members.pop())):
            return None
        if piece == ";" and not is_group:
            return None
        if piece in (":", ";"):
            is_group = piece == ":"
        if piece in (",", ":", ";"):
            members.append("")
        else:
            members[-1] += piece
    return None if is_group else [member for member in members if member.strip()]


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
    """Return whether the address reaches the same mailbox as one of ours, with whatever tag."""
    return without_tag(address) in {without_tag(own) for own in ours}


def is_for(address: str, ours: Iterable[str]) -> bool:
    """Return whether a letter to this address is for us: it is one of ours, or one of ours with a
    further tag.

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
    """Return whether this is a role's address here; none is if the organizer's own address is one
    of them.

    Then the organizer's mail would come back to us. `postmaster` alone is ours, too (RFC 5321,
    4.1.1.3).
    """
    domains = set(map(domain_of, contest.addresses))
    known = {f"{role}@{domain}" for role in _ROLES for domain in domains}
    plain = without_tag(address)
    return contest.organizer_address.casefold() not in known and (
        plain == "postmaster" or plain in known
    )
