"""VERP: the address for the bounces of one mail, `knobeln+b-17-k7qd2mxw9rtzh4pc@contest.example`. Pure.

Its last word is a signature with the contest's secret. The reader of mail 17 cannot make up the address of
mail 18, and so cannot report other teams' mails as undeliverable. It is in lower case, as some mail systems
change case.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re

_TAGGED = re.compile(
    r"(?i)(?<![^\s<>,;:\"'])([^\s<>,;:\"'@]+)\+b-([0-9]{1,12})-([a-z2-7]{16})@([^\s<>,;:\"'@]+)"
)
_SIGNATURE_BYTES = 10


def bounce_address(robot: str, item_id: int, secret: bytes) -> str:
    """The address for bounces of this mail of the outbox."""
    name, _, domain = robot.rpartition("@")
    return f"{name}+b-{item_id}-{_signature(item_id, secret)}@{domain}"


def is_tagged(text: str) -> bool:
    """Whether an address in this text looks like one for bounces, genuine or not."""
    return _TAGGED.search(text) is not None


def bounced_items(text: str, robot: str, secret: bytes) -> tuple[int, ...]:
    """The mails of the outbox whose genuine bounce addresses are in this text (headers, recipients)."""
    found = (match.groups() for match in _TAGGED.finditer(text))
    return tuple(
        int(number)
        for name, number, signature, domain in found
        if f"{name}@{domain}".casefold() == robot.casefold()
        and hmac.compare_digest(signature.lower(), _signature(int(number), secret))
    )


def _signature(item_id: int, secret: bytes) -> str:
    digest = hmac.digest(secret, f"bounce/{item_id}".encode(), hashlib.sha256)
    return base64.b32encode(digest[:_SIGNATURE_BYTES]).decode().lower()
