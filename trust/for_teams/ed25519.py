"""Checks and makes Ed25519 signatures (RFC 8032) with the standard library alone: slowly, and not
hardened against others who measure this computer while it signs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

# Points are in extended coordinates (X, Y, Z, T) with x = X/Z, y = Y/Z, x*y = T/Z.
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, P - 2, P) % P
_ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)


def is_signed(owner: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the owner of the key has signed this message. Ed25519; no secret is used here.

    With a key of small order anybody can sign, so that nobody has.
    """
    key, commitment = point_of(owner), point_of(signature[:32])
    factor = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or key is None or commitment is None or factor >= ORDER:
        return False
    if multiple(8, key)[0] % P == 0:
        return False
    challenge = hashlib.sha512(signature[:32] + owner + message).digest()
    times = int.from_bytes(challenge, "little") % ORDER
    left, right = multiple(factor, BASE), _sum(commitment, multiple(times, key))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))


def point_of(data: bytes) -> Sequence[int] | None:
    """The point with this encoding; None if there is none."""
    number = int.from_bytes(data, "little")
    is_odd = number >> 255
    y = number % 2**255
    if len(data) != 32 or y >= P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * _ROOT_OF_MINUS_1 % P
    if (x * x - square) % P or (x == 0 and is_odd):
        return None
    if x % 2 != is_odd:
        x = P - x
    return x, y, 1, x * y % P


def _sum(p: Sequence[int], q: Sequence[int]) -> Sequence[int]:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * _D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiple(times: int, point: Sequence[int]) -> Sequence[int]:
    total: Sequence[int] = (0, 1, 1, 0)
    while times:
        if times & 1:
            total = _sum(total, point)
        point = _sum(point, point)
        times >>= 1
    return total


BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little")) or ()


def encoded(point: Sequence[int]) -> bytes:
    """The 32 bytes that stand for a point (RFC 8032, section 5.1.2)."""
    inverse = pow(point[2], P - 2, P)
    x, y = (coordinate * inverse % P for coordinate in point[:2])
    return (y | (x & 1) << 255).to_bytes(32, "little")


def public_key(secret: bytes) -> bytes:
    """The key that checks what these 32 bytes sign."""
    return encoded(multiple(_factor(hashlib.sha512(secret).digest()), BASE))


def sign(secret: bytes, message: bytes) -> bytes:
    """The signature of the message with these 32 bytes (RFC 8032, section 5.1.6)."""
    digest = hashlib.sha512(secret).digest()
    once = int.from_bytes(hashlib.sha512(digest[32:] + message).digest(), "little") % ORDER
    commitment = encoded(multiple(once, BASE))
    signed = hashlib.sha512(commitment + public_key(secret) + message).digest()
    answer = (once + int.from_bytes(signed, "little") * _factor(digest)) % ORDER
    return commitment + answer.to_bytes(32, "little")


def _factor(digest: bytes) -> int:
    """What the base is multiplied by. `digest`: of the secret."""
    return int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
