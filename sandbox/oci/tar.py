"""Tar archives, read strictly: ustar, GNU's long names, and pax. Nothing is written here.

The standard library's reader is made for archives of friends. It believes in negative sizes, sparse files and
headers that contradict each other, and reads a pax header of any length into memory. Here whatever is unclear
is Refused: a wrong checksum, a size that leaves the archive, a link with contents, an unknown type. Names are
bytes; they are looked at in tree.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import BinaryIO

from sandbox.oci.refusal import Refused, shown

BLOCK = 512
_MOST_META = 1024 * 1024  # bytes of one long name or pax header
_POSIX_MAGIC = b"ustar\x0000"
_MEANT = (b"path", b"linkpath", b"size")  # of a pax header; the rest are times, owners and the like
_SPARSE = b"GNU.sparse."
_KNOWN_MAGIC = (_POSIX_MAGIC, b"ustar  \0", b"\0" * 8)


class Kind(StrEnum):
    """What a member is, in words for a sentence."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "symbolic link"
    HARD_LINK = "hard link"
    CHARACTER_DEVICE = "character device"
    BLOCK_DEVICE = "block device"
    PIPE = "named pipe"


_KINDS = {
    b"0": Kind.FILE,
    b"\0": Kind.FILE,
    b"7": Kind.FILE,
    b"1": Kind.HARD_LINK,
    b"2": Kind.LINK,
    b"3": Kind.CHARACTER_DEVICE,
    b"4": Kind.BLOCK_DEVICE,
    b"5": Kind.FOLDER,
    b"6": Kind.PIPE,
}


@dataclass(frozen=True)
class Member:
    """One entry. `offset` and `size`: where its contents are in the file that is read; `target`: of links."""

    kind: Kind
    name: bytes
    target: bytes
    offset: int
    size: int
    executable: bool


@dataclass(frozen=True)
class _Header:
    type: bytes
    name: bytes
    target: bytes
    size: int
    mode: int


def members(file: BinaryIO, offset: int, size: int) -> Iterator[Member]:
    """The entries of the archive at these bytes of the file. Raises Refused when it comes to a bad one."""
    end = offset + size
    told: dict[bytes, bytes] = {}  # by extended headers, about the next member
    while offset < end:
        block = _read(file, offset, BLOCK, end)
        if not any(block):
            return
        header, offset = _header(block), offset + BLOCK
        if header.type in b"xgLK":
            told |= _extension(header, _contents(file, offset, header, end))
        else:
            member = _member(header, told, offset)
            header, told = _sized(header, member.size), {}
            _within(member.name, offset + member.size, end)
            yield member
        offset += -(-header.size // BLOCK) * BLOCK


def _sized(header: _Header, size: int) -> _Header:
    return _Header(header.type, header.name, header.target, size, header.mode)


def _read(file: BinaryIO, offset: int, size: int, end: int) -> bytes:
    _within(b"", offset + size, end)
    file.seek(offset)
    return file.read(size)


def _within(name: bytes, reach: int, end: int) -> None:
    if reach > end:
        where = f" in {shown(name)}" if name else ""
        raise Refused(f"a tar archive is cut off{where}: the file may be damaged, send it again")


def _header(block: bytes) -> _Header:
    checksum = sum(block) - sum(block[148:156]) + 8 * 32
    if _number(block[148:156], "checksum") != checksum or block[257:265] not in _KNOWN_MAGIC:
        raise Refused("it is no tar archive, or a damaged one: a header is wrong")
    prefix = _text(block[345:500]) if block[257:265] == _POSIX_MAGIC else b""
    name = _text(block[:100])
    return _Header(
        type=block[156:157],
        name=prefix + b"/" + name if prefix else name,
        target=_text(block[157:257]),
        size=_number(block[124:136], "size"),
        mode=_number(block[100:108], "mode"),
    )


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


def _number(field: bytes, what: str) -> int:
    """Octal digits, or, with the highest bit set, a binary number; never a negative one."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:])
    digits = field.strip(b" \0")
    if any(digit not in b"01234567" for digit in digits):
        raise Refused(f"it is no tar archive, or a damaged one: the {what} in a header is no number")
    return int(digits or b"0", 8)


def _contents(file: BinaryIO, offset: int, header: _Header, end: int) -> bytes:
    if header.size > _MOST_META:
        raise Refused(f"a header of a tar archive has {header.size:,} bytes; at most {_MOST_META:,} are read")
    return _read(file, offset, header.size, end)


def _extension(header: _Header, contents: bytes) -> dict[bytes, bytes]:
    """What an extended header says, in the words of pax."""
    if header.type in b"LK":
        return {b"path" if header.type == b"L" else b"linkpath": _text(contents)}
    records = {key: value for key, value in _records(contents) if key in _MEANT or key.startswith(_SPARSE)}
    if header.type == b"g" and records:
        raise Refused(f"a tar archive gives all its members one {shown(next(iter(records)))}")
    return records


def _records(contents: bytes) -> Iterator[tuple[bytes, bytes]]:
    """`30 mtime=1321711775.9720594634\\n`, with its own length in front."""
    start = 0
    while start < len(contents):
        digits, blank, _ = contents[start : start + 8].partition(b" ")
        length = int(digits) if blank and digits.isdigit() else 0
        record = contents[start + len(digits) + 1 : start + length]
        key, equals, value = record.removesuffix(b"\n").partition(b"=")
        if start + length > len(contents) or not record.endswith(b"\n") or not equals:
            raise Refused("a tar archive is damaged: a pax header is wrong")
        yield key, value
        start += length


def _member(header: _Header, told: dict[bytes, bytes], offset: int) -> Member:
    name = told.get(b"path", header.name)
    kind = _kind(header, name, told)
    size = _size(told, header.size)
    if size and kind is not Kind.FILE:
        raise Refused(f"{shown(name)} is a {kind} with contents, which cannot be")
    return Member(
        kind=kind,
        name=name,
        target=told.get(b"linkpath", header.target),
        offset=offset,
        size=size,
        executable=bool(header.mode & 0o111),
    )


def _kind(header: _Header, name: bytes, told: dict[bytes, bytes]) -> Kind:
    if header.type not in _KINDS or any(key.startswith(_SPARSE) for key in told):
        raise Refused(f"{shown(name)} is of a type (sparse files among them) that images do not need")
    kind = _KINDS[header.type]
    return Kind.FOLDER if kind is Kind.FILE and name.endswith(b"/") else kind


def _size(told: dict[bytes, bytes], size: int) -> int:
    if b"size" not in told:
        return size
    digits = told[b"size"]
    if not digits.isdigit() or len(digits) > 18:
        raise Refused("a tar archive is damaged: a size is no number")
    return int(digits)
