"""Merkle trees as in RFC 6962, section 2.1: hashes, roots, and proofs. Pure; SHA-256.

A tree that grows is kept as its *peaks*: the roots of the complete subtrees that it consists of, largest
first. There is one for each binary one in its size.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(leaf: bytes) -> bytes:
    """The hash of a leaf. Its prefix differs from that of a node, so no node can be taken for a leaf."""
    return hashlib.sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node from those of its two children."""
    return hashlib.sha256(b"\x01" + left + right).digest()


# --- a tree that grows -------------------------------------------------------------------------------------
def grown(peaks: Sequence[bytes], size: int, leaf: bytes) -> tuple[bytes, ...]:
    """The peaks of a tree after one more leaf. `size`: how many leaves it had before; `leaf`: its bytes."""
    found = [*peaks, leaf_hash(leaf)]
    while size & 1:
        right = found.pop()
        found[-1] = node_hash(found[-1], right)
        size >>= 1
    return tuple(found)


def root_of_peaks(peaks: Sequence[bytes]) -> bytes:
    """The root of the tree with these peaks."""
    if not peaks:
        return EMPTY_ROOT
    *others, root = peaks
    for peak in reversed(others):
        root = node_hash(peak, root)
    return root


def root(leaves: Iterable[bytes]) -> bytes:
    """The root of the tree of these leaves."""
    peaks: tuple[bytes, ...] = ()
    for size, leaf in enumerate(leaves):
        peaks = grown(peaks, size, leaf)
    return root_of_peaks(peaks)
