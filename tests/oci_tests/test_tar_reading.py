"""The strict reader of tar archives."""

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.oci.refusal import Refused
from sandbox.oci.tar import MemberKind, members
from tests.support.oci_images import folder, link, member, tar

FORMS = {"ustar": tarfile.USTAR_FORMAT, "GNU": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}
LONG = "a/" * 60 + "name"  # more than the 100 bytes of a header
LONGER = f"{'b' * 200}/{'c' * 250}"  # more than the 255 that ustar has


def read(raw):
    return list(members(io.BytesIO(raw), 0, len(raw)))


def spoiled(raw, place, value):
    """Return the archive with other bytes in its first header, and the checksum to match."""
    header = bytearray(raw[:512])
    header[place : place + len(value)] = value
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + raw[512:]


ONE = tar([member("one", b"contents")], tarfile.USTAR_FORMAT)
PAX = tar([member("one", b"contents", pax_headers={"comment": "x" * 60})])


@pytest.mark.parametrize("form", FORMS)
def test_what_tar_writes_is_read(form):
    names = [LONG] if form == "ustar" else [LONG, LONGER]
    target = LONG[:100] if form == "ustar" else LONG
    raw = tar(
        [
            folder("d/"),
            *(member(name, name.encode()) for name in names),
            link("d/link", "../e"),
            member("d/hard", type=tarfile.LNKTYPE, linkname=target),
            member("plain", b"x" * 1000, mode=0o644),
        ],
        FORMS[form],
    )
    found = read(raw)
    assert [(m.kind, m.name.decode()) for m in found] == [
        (MemberKind.FOLDER, "d/"),
        *((MemberKind.FILE, name) for name in names),
        (MemberKind.LINK, "d/link"),
        (MemberKind.HARD_LINK, "d/hard"),
        (MemberKind.FILE, "plain"),
    ]
    for m, name in zip(found[1:], names, strict=False):
        assert raw[m.offset : m.offset + m.size].decode() == name
    assert (found[-3].target, found[-2].target) == (b"../e", target.encode())
    assert [m.executable for m in found[-2:]] == [True, False]


BAD = {
    "no_archive": (b"not a tar archive".ljust(1024), "no tar archive"),
    "wrong_checksum": (ONE[:150] + b"7" + ONE[151:], "no tar archive"),
    "cut_off_in_its_contents": (ONE[:515], "cut off"),
    "cut_off_in_a_header": (ONE[:300], "cut off"),
    "larger_than_the_archive": (spoiled(ONE, 124, b"77777777777\0"), "cut off"),
    "a_negative_size": (spoiled(ONE, 124, b"\xff" * 12), "no number"),
    "a_size_of_88_bits": (spoiled(ONE, 124, b"\x80" + b"\xff" * 11), "cut off"),
    "a_size_that_is_no_number": (spoiled(ONE, 124, b"12345678 9\0\0"), "no number"),
    "a_sparse_file": (spoiled(ONE, 156, b"S"), "of a type"),
    "an_unknown_type": (spoiled(ONE, 156, b"V"), "of a type"),
    "a_link_with_contents": (spoiled(ONE, 156, b"2"), "symbolic link with contents"),
    "a_folder_with_contents": (spoiled(ONE, 156, b"5"), "folder with contents"),
    "a_pax_size_that_is_negative": (tar([member("one", pax_headers={"size": "-1"})]), "no number"),
    "a_pax_size_beyond_the_end": (tar([member("one", pax_headers={"size": "9999"})]), "cut off"),
    "a_sparse_file_of_pax": (tar([member("one", pax_headers={"GNU.sparse.map": "0,1"})]), "of a type"),
    "a_pax_record_without_length": (PAX.replace(b"72 comment", b"xx comment"), "pax header"),
    "a_pax_record_that_is_too_long": (PAX.replace(b"72 comment", b"99 comment"), "pax header"),
    "a_pax_record_of_no_length": (PAX.replace(b"72 comment", b"00 comment"), "pax header"),
    "a_pax_header_of_everything": (
        spoiled(tar([member("x", pax_headers={"path": "y"})]), 156, b"g"),
        "all its",
    ),
    "a_huge_pax_header": (
        spoiled(PAX, 124, b"00010000000\0") + bytes(2_100_000),
        "at most 1,048,576 are read",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_unclear_is_refused(name):
    raw, words = BAD[name]
    with pytest.raises(Refused, match=words):
        read(raw)


@given(st.data())
def test_whatever_is_done_to_an_archive_its_members_lie_within_it(data):
    raw = bytearray(PAX + ONE)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(raw) - 1))
        raw[place] = data.draw(st.integers(0, 255))
    size = data.draw(st.integers(0, len(raw)))
    try:
        found = read(bytes(raw[:size]))
    except Refused:
        return
    assert all(0 <= m.offset <= m.offset + m.size <= size for m in found)
