"""Read tar archives strictly: ustar, GNU's long names, and pax. Writes nothing.

The standard library's reader trusts its archives. It accepts negative sizes, sparse files and headers that
contradict each other, and reads a pax header of any length into memory. This reader refuses whatever is
ambiguous: a wrong checksum, a size beyond the archive's end, a link with contents, an unknown type. Names are
bytes; tree.py checks them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import BinaryIO

from sandbox.oci.refusal import Refused, quoted

BLOCK = 512
_MAX_META_BYTES = 1024 * 1024  # of one long name or pax header
_POSIX_MAGIC = b"ustar\x0000"
_USED_KEYS = (b"path", b"linkpath", b"size")  # of a pax header; the rest are times, owners and the like
_SPARSE = b"GNU.sparse."
_KNOWN_MAGIC = (_POSIX_MAGIC, b"ustar  \0", b"\0" * 8)


class MemberKind(StrEnum):
    """Name a kind of member, as a noun for a sentence."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "symbolic link"
    HARD_LINK = "hard link"
    CHARACTER_DEVICE = "character device"
    BLOCK_DEVICE = "block device"
    PIPE = "named pipe"


_KINDS = {
    b"0": MemberKind.FILE,
    b"\0": MemberKind.FILE,
    b"7": MemberKind.FILE,
    b"1": MemberKind.HARD_LINK,
    b"2": MemberKind.LINK,
    b"3": MemberKind.CHARACTER_DEVICE,
    b"4": MemberKind.BLOCK_DEVICE,
    b"5": MemberKind.FOLDER,
    b"6": MemberKind.PIPE,
}


@dataclass(frozen=True)
class Member:
    """An entry. `offset` and `size`: the place of its contents in the file. `target`: for links only."""

    kind: MemberKind
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
    """Yield the entries of the archive in these bytes of the file. Raises Refused at a bad one."""
    end = offset + size
    extended: dict[bytes, bytes] = {}  # from extended headers, for the next member
    while offset < end:
        block = _read(file, offset, BLOCK, end)
        if not any(block):
            return
        header, offset = _header(block), offset + BLOCK
        if header.type in b"xgLK":
            extended |= _extension(header, _contents(file, offset, header, end))
        else:
            member = _member(header, extended, offset)
            header, extended = replace(header, size=member.size), {}
            _check_within(member.name, offset + member.size, end)
            yield member
        offset += -(-header.size // BLOCK) * BLOCK


def _read(file: BinaryIO, offset: int, size: int, end: int) -> bytes:
    _check_within(b"", offset + size, end)
    file.seek(offset)
    return file.read(size)


def _check_within(name: bytes, reach: int, end: int) -> None:
    if reach > end:
        where = f" in {quoted(name)}" if name else ""
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
    """Read octal digits, or a binary number if the highest bit is set. Negative numbers are refused."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:])
    digits = field.strip(b" \0")
    if any(digit not in b"01234567" for digit in digits):
        raise Refused(f"it is no tar archive, or a damaged one: the {what} in a header is no number")
    return int(digits or b"0", 8)


def _contents(file: BinaryIO, offset: int, header: _Header, end: int) -> bytes:
    if header.size > _MAX_META_BYTES:
        raise Refused(
            f"a header of a tar archive has {header.size:,} bytes; at most {_MAX_META_BYTES:,} are read"
        )
    return _read(file, offset, header.size, end)


def _extension(header: _Header, contents: bytes) -> dict[bytes, bytes]:
    """Read the records of an extended header, by their keys in pax."""
    if header.type in b"LK":
        return {b"path" if header.type == b"L" else b"linkpath": _text(contents)}
    records = {
        key: value for key, value in _records(contents) if key in _USED_KEYS or key.startswith(_SPARSE)
    }
    if header.type == b"g" and records:
        raise Refused(f"a tar archive gives all its members one {quoted(next(iter(records)))}")
    return records


def _records(contents: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Read records such as `30 mtime=1321711775.9720594634\\n`; each begins with its own length."""
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


def _member(header: _Header, extended: dict[bytes, bytes], offset: int) -> Member:
    name = extended.get(b"path", header.name)
    kind = _kind(header, name, extended)
    size = _size(extended, header.size)
    if size and kind is not MemberKind.FILE:
        raise Refused(f"{quoted(name)} is a {kind} with contents, which cannot be")
    return Member(
        kind=kind,
        name=name,
        target=extended.get(b"linkpath", header.target),
        offset=offset,
        size=size,
        executable=bool(header.mode & 0o111),
    )


def _kind(header: _Header, name: bytes, extended: dict[bytes, bytes]) -> MemberKind:
    if header.type not in _KINDS or any(key.startswith(_SPARSE) for key in extended):
        raise Refused(f"{quoted(name)} is of a type (sparse files among them) that images do not need")
    kind = _KINDS[header.type]
    return MemberKind.FOLDER if kind is MemberKind.FILE and name.endswith(b"/") else kind


def _size(extended: dict[bytes, bytes], size: int) -> int:
    if b"size" not in extended:
        return size
    digits = extended[b"size"]
    if not digits.isdigit() or len(digits) > 18:
        raise Refused("a tar archive is damaged: a size is no number")
    return int(digits)
