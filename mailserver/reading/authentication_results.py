"""What our own mail server found out about a letter's sender: Authentication-Results (RFC 8601).
Pure.

Only the fields count that carry the authserv-id of our server, `mail.authserv_id`. It puts them on
top of the letter; anybody can write the same words further down. So we read from the topmost of
these fields to the next Received field. A server that writes such fields removes forged ones (RFC
8601, section 5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from mailserver.reading.addresses import domain_of
from mailserver.reading.mime_parts import Headers

_MAX_FIELD_CHARACTERS = 8_000
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|\\.|[();]|[^"\\();]+|["\\]', re.DOTALL)
_NOT_IN_A_WORD = re.compile(r"[^\w@.+-]")


class Authenticity(StrEnum):
    """Whether the letter comes from the domain of its From address."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    NONE = "none"  # nothing says so, or our server is not known


@dataclass(frozen=True)
class _Finding:
    method: str
    result: str
    properties: Mapping[str, str]


def authenticity(headers: Headers, sender: str | None, authserv_id: str) -> Authenticity:
    """Return what our server says about the domain of `sender`, the letter's one From address.

    DMARC decides if it has an answer. Without one, SPF or DKIM must have passed for the domain
    itself, its parent or a subdomain, as DMARC would demand. Without `authserv_id` or `sender` it
    is NONE.
    """
    domain = domain_of(sender or "")
    if not domain or not authserv_id:
        return Authenticity.NONE
    findings = tuple(_findings(headers, authserv_id))
    by_dmarc = {
        each.result for each in findings if each.method == "dmarc" and _domain(each) in ("", domain)
    }
    others = {
        each.result
        for each in findings
        if each.method != "dmarc" and _is_kin(_domain(each), domain)
    }
    # Two answers of DMARC must agree. SPF fails for every forwarded letter, and DKIM passes all the
    # same.
    if "fail" in by_dmarc or ("fail" in others and not {"pass"} & (by_dmarc | others)):
        return Authenticity.FAIL
    return Authenticity.PASS if "pass" in by_dmarc | others else Authenticity.NONE


def _domain(finding: _Finding) -> str:
    """Return the domain that the finding is about, "" where it names none."""
    found = finding.properties
    identity = {
        "dmarc": found.get("header.from", ""),
        "spf": found.get("smtp.mailfrom", ""),
        "dkim": found.get("header.d") or found.get("header.i", ""),
    }
    return identity.get(finding.method, "").rpartition("@")[2]


def _is_kin(one: str, other: str) -> bool:
    """Return whether the domains are the same, or one is a subdomain of the other."""
    return bool(one) and (f".{one}".endswith(f".{other}") or f".{other}".endswith(f".{one}"))


def _findings(headers: Headers, authserv_id: str) -> Iterator[_Finding]:
    is_ours = False
    for name, value in headers.fields("Authentication-Results", "Received"):
        if name == "received" and is_ours:
            return
        clauses = _clauses(value) if name != "received" else []
        if clauses and clauses[0].split()[:1] == [authserv_id.casefold()]:
            is_ours = True
            yield from filter(None, map(_finding, clauses[1:]))


def _clauses(value: str) -> list[str]:
    """Return the parts between the semicolons, in lower case, without comments; [] where the field
    is damaged.

    In a quoted text only the characters of addresses stay: what a stranger has written there is no
    clause.
    """
    clauses, depth = [""], 0
    for piece in _PIECE.findall(value[: _MAX_FIELD_CHARACTERS + 1]):
        if piece in ("(", ")"):
            depth += 1 if piece == "(" else -1
        elif depth == 0 and piece == ";":
            clauses.append("")
        elif depth == 0:
            clauses[-1] += (
                _NOT_IN_A_WORD.sub("_", piece[1:-1]) if piece[0] == '"' and piece[1:] else piece
            )
        if depth < 0 or piece == '"':
            return []
    is_damaged = depth > 0 or len(value) > _MAX_FIELD_CHARACTERS
    return [] if is_damaged else [clause.casefold() for clause in clauses]


def _finding(clause: str) -> _Finding | None:
    """`method[/version]=result property=value ...`"""
    one_blank = " ".join(clause.split())
    pairs = [word.partition("=")[::2] for word in re.sub(" ?([=/]) ?", r"\1", one_blank).split()]
    if not pairs or not pairs[0][1]:
        return None
    (method, result), *properties = pairs
    return _Finding(
        method.partition("/")[0], "fail" if result == "hardfail" else result, dict(properties)
    )
