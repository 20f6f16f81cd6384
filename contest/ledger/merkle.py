"""Merkle trees as in RFC 6962, section 2.1: hashes, roots, and proofs. Pure; SHA-256.

A tree that grows is kept as its *peaks*: the roots of the complete subtrees that it consists of,
largest first. There is one for each binary one in its size.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(leaf: bytes) -> bytes:
    """Return the hash of a leaf. Its prefix differs from that of a node, so no node can be taken
    for a leaf."""
    return hashlib.sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node from those of its two children."""
    return hashlib.sha256(b"\x01" + left + right).digest()


# --- a tree that grows ----------------------------------------------------------------------------
def grown(peaks: Sequence[bytes], size: int, leaf: bytes) -> tuple[bytes, ...]:
    """Return the peaks of a tree after one more leaf. `size`: how many leaves it had before;
    `leaf`: its bytes."""
    return _grown(peaks, size, leaf_hash(leaf))


def _grown(peaks: Sequence[bytes], size: int, newest: bytes) -> tuple[bytes, ...]:
    grown = [*peaks, newest]
    while size & 1:
        right = grown.pop()
        grown[-1] = node_hash(grown[-1], right)
        size >>= 1
    return tuple(grown)


def root_of_peaks(peaks: Sequence[bytes]) -> bytes:
    """Return the root of the tree with these peaks."""
    if not peaks:
        return EMPTY_ROOT
    *others, root = peaks
    for peak in reversed(others):
        root = node_hash(peak, root)
    return root


class Grown(NamedTuple):
    """An earlier state of a tree: its newest leaf's hash, and its peaks."""

    leaf_hash: bytes
    peaks: Sequence[bytes]


def consistency(old: int, new: int, tree: Callable[[int], Grown]) -> tuple[bytes, ...]:
    """Return the proof (RFC 6962, 2.1.2) that the tree of `new` leaves begins with that of the
    first `old`, from 1.

    `tree` gives the tree as it was after this many leaves; it is asked for few of them.
    """
    return tuple(_hash_of(start, end, tree) for start, end in _proof(old, 0, new, is_left=True))


def _proof(old: int, start: int, end: int, *, is_left: bool) -> Iterator[tuple[int, int]]:
    """Yield the first leaf of each tree in the proof, and the first behind it. `is_left`: the old
    tree is known."""
    if old == end:
        if not is_left:
            yield start, end
        return
    middle = start + _left_size(end - start)
    if old <= middle:
        yield from _proof(old, start, middle, is_left=is_left)
        yield middle, end
    else:
        yield from _proof(old, middle, end, is_left=False)
        yield start, middle


def _hash_of(start: int, end: int, tree: Callable[[int], Grown]) -> bytes:
    """Return the root of the tree of these leaves, which is a part of the large one."""
    subtree = tree(end)
    if end - start == 1:
        return subtree.leaf_hash
    position = 0
    for place, bit in enumerate(bit for bit in reversed(range(end.bit_length())) if end >> bit & 1):
        if position == start:
            return root_of_peaks(subtree.peaks[place:])
        position += 1 << bit
    middle = start + _left_size(end - start)
    return node_hash(_hash_of(start, middle, tree), _hash_of(middle, end, tree))


def _left_size(size: int) -> int:
    """Return the number of leaves in the left subtree: the largest power of two below `size`."""
    return 1 << (size - 1).bit_length() - 1


def has_grown(old: int, new: int, old_root: bytes, root: bytes, proof: Sequence[bytes]) -> bool:
    """Return whether the tree of `new` leaves begins with the `old` ones (RFC 6962, 2.1.2)."""
    rest = iter(proof)

    def both(left: int, size: int, *, is_known: bool) -> tuple[bytes, bytes]:
        """Of a tree of this size, and of what was in it before: its first leaves."""
        if left == size:
            same = old_root if is_known else next(rest)
            return same, same
        middle = _left_size(size)
        if left <= middle:
            before, after = both(left, middle, is_known=is_known)
            return before, node_hash(after, next(rest))
        before, after = both(left - middle, size - middle, is_known=False)
        side = next(rest)
        return node_hash(side, before), node_hash(side, after)

    try:
        return old <= new and both(old, new, is_known=True) == (old_root, root) and not list(rest)
    except StopIteration:
        return False


def roots(leaves: Iterable[bytes]) -> Iterator[bytes]:
    """Return the roots of the trees of the first 0, 1, 2 ... of these leaves."""
    return roots_of(map(leaf_hash, leaves))


def roots_of(hashes: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the roots of the trees of the first 0, 1, 2 ... leaves with these hashes."""
    peaks: tuple[bytes, ...] = ()
    yield EMPTY_ROOT
    for size, newest in enumerate(hashes):
        peaks = _grown(peaks, size, newest)
        yield root_of_peaks(peaks)


def root(leaves: Iterable[bytes]) -> bytes:
    """Return the root of the tree of these leaves."""
    *_, last = roots(leaves)
    return last
