"""Makes and checks Ed25519 signatures (RFC 8032) by the library `cryptography`.

It takes long to import, so only what signs or checks imports it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_P = 2**255 - 19
# of two of order 8
_Y = 2707385501144840649318225287225658788936804267575313519463743609750303402022
_SMALL_ORDER = frozenset({0, 1, _Y, _P - _Y, _P - 1, _P, _P + 1})
"""The y of each point whose order divides 8. With such a key anybody can sign (RFC 8032, section
8.9)."""


def public_key(private_key: bytes) -> bytes:
    """Return the key that checks what the private key signs."""
    return _private(private_key).public_key().public_bytes_raw()


def sign(private_key: bytes, message: bytes) -> bytes:
    """Return the signature, 64 bytes. The same key and message always have the same one."""
    return _private(private_key).sign(message)


def _private(key: bytes) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(key)


def is_signed(public: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether the owner of the key has signed this message. A key of small order has no
    owner."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if int.from_bytes(public, "little") % 2**255 in _SMALL_ORDER:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):  # ValueError: a key of another length
        return False
    return True
