"""The Merkle tree against RFC 6962, the test vectors of Certificate Transparency, and a naive
tree."""

import hashlib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.ledger import merkle

# The leaves and roots that the tests of the first implementation of Certificate Transparency use.
LEAVES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        bytes(range(96, 112)).hex(),
    )
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def naive_root(leaves: Sequence[bytes]) -> bytes:
    """The definition of RFC 6962, word for word."""
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return hashlib.sha256(
        b"\x01" + naive_root(leaves[:split]) + naive_root(leaves[split:])
    ).digest()


@pytest.mark.parametrize("size", range(len(ROOTS)))
def test_roots_are_those_of_certificate_transparency(size: int) -> None:
    assert merkle.root(LEAVES[:size]).hex() == ROOTS[size]


@given(st.lists(st.binary(max_size=40), max_size=70))
def test_roots_are_those_of_the_definition(leaves: list[bytes]) -> None:
    assert merkle.root(leaves) == naive_root(leaves)
