"""drand: a network of organizations that publish a random value together, every few seconds.

Each value is a BLS signature of its round's number, so nobody can choose it, nor know it before its
time unless most of the network's members conspire. Pure. Sources: the specification of drand
(docs.drand.love); RFC 9380 for hashing to the curve.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from py_arkworks_bls12381 import GT, G1Point, G2Point

from contest.errors import GiveUp

_DOMAIN = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
_SIGNATURE_BYTES = 48


@dataclass(frozen=True)
class Chain:
    """A chain of rounds, of the scheme bls-unchained-g1-rfc9380: signatures on G1, keys on G2,
    rounds that do not depend on each other.

    `genesis`: the time of round 1, in seconds since 1970; `period`: in seconds. `hash`: the sha256
    of all of this, in hex, which names the chain.
    """

    hash: str
    public_key: bytes
    period: int
    genesis: int

    def time_of(self, round_number: int) -> datetime:
        """Return when this round is published."""
        return datetime.fromtimestamp(self.genesis + (round_number - 1) * self.period, UTC)

    def round_after(self, moment: datetime) -> int:
        """Return the first round that is published after this moment."""
        return max(1, int((moment.timestamp() - self.genesis) // self.period) + 2)


URLS = ("https://api.drand.sh", "https://drand.cloudflare.com")
"""Servers of drand, asked in turn."""
QUICKNET = Chain(
    hash="52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    public_key=bytes.fromhex(
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a"
        "2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
    ),
    period=3,
    genesis=1_692_803_367,
)
"""The chain of the League of Entropy with a round every three seconds, since August 2023."""


def randomness_in(text: str, chain: Chain, round_number: int) -> bytes:
    """Return the 32 random bytes of this round, from the JSON of a drand server.

    Raises GiveUp with what is wrong, such as a signature that is not of the chain's key. Takes some
    30 ms.
    """
    number, randomness, signature = _read(text)
    if number != round_number:
        raise GiveUp(
            f"this is round {number} of drand, but round {round_number} of chain {chain.hash}"
            " counts"
        )
    if hashlib.sha256(signature).digest() != randomness:
        raise GiveUp("the randomness is not the sha256 of the signature")
    if not _is_signed(number, signature, chain):
        raise GiveUp("the chain of drand has not signed this round")
    return randomness


def _is_signed(number: int, signature: bytes, chain: Chain) -> bool:
    """Return whether the chain's key has signed this round."""
    try:  # a point outside of the group is a ValueError, too
        point = G1Point.from_compressed_bytes(signature)
        key = G2Point.from_compressed_bytes(chain.public_key)
    except ValueError:
        return False
    message = hashlib.sha256(number.to_bytes(8, "big")).digest()
    hashed = G1Point.hash_to_curve(message, _DOMAIN)
    return key != G2Point.identity() and GT.pairing_check([hashed, -point], [key, G2Point()])


def _read(text: str) -> tuple[int, bytes, bytes]:
    """Return the round's number, its randomness, and its signature."""
    try:
        fields: Any = json.loads(text)
        number, signature = fields["round"], bytes.fromhex(fields["signature"])
        randomness = bytes.fromhex(fields["randomness"])
        is_right = (
            isinstance(number, int) and 0 < number < 2**63 and len(signature) == _SIGNATURE_BYTES
        )
    except (ValueError, LookupError, TypeError, RecursionError):
        is_right = False
    if not is_right:
        raise GiveUp(
            "this is not a round of drand",
            hint='it must be JSON like {"round": 1, "randomness": "...", "signature": "..."}',
        )
    return number, randomness, signature
