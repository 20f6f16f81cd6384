"""The plain files of a tar archive that a stranger may have made, within bounds.

The library's reader keeps all members, reads headers of any length, and makes sparse files as large
as they say that they are. Here an archive has files and folders and nothing else, in the forms of
ustar, GNU and pax, and nothing of it is in memory but one header and a piece of a file.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

MAX_HEADER_BYTES = 65_536  # of a pax header, or a long name

_BLOCK = 512
_PIECE_BYTES = 1 << 20
_GZIP = b"\x1f\x8b"
_PLAIN, _FOLDER, _LINKS, _SPARSE = (b"0", b"\0"), b"5", (b"1", b"2"), b"S"
_LONG_NAME, _PAX, _PAX_FOR_ALL = b"L", b"x", b"g"
_RECORD = re.compile(
    rb"(?:\A|(?<=\n))\d{1,10} (path|size|GNU\.sparse)[a-z.]{0,20}=([^\n]{0,4096})\n"
)


class Wrong(StrEnum):
    DAMAGED = "it is damaged, or no archive"
    TOO_MANY = "it has too many entries"
    TOO_LARGE = "it has too many bytes"
    LINK = "a link"
    SPARSE = "a file with holes"
    OTHER = "no file"
    TWICE = "where another file is"


class BadTar(Exception):
    """What is wrong; `path`: with which entry, "" if with all."""

    def __init__(self, wrong: Wrong, path: str = "") -> None:
        super().__init__(f"its entry {path} is {wrong}" if path else str(wrong))
        self.wrong, self.path = wrong, path


@dataclass(frozen=True)
class Bounds:
    """`entries`: with folders. `size`: of all files together, in bytes."""

    entries: int
    size: int


@dataclass
class TarFile:
    """A file of an archive: can be read until the next one is asked for."""

    path: str
    size: int
    _stream: BinaryIO
    _left: int

    def pieces(self) -> Iterator[bytes]:
        """Its contents, or what was not yet read of them. Raises BadTar."""
        while self._left:
            piece = _read(self._stream, min(self._left, _PIECE_BYTES))
            if not piece:
                raise BadTar(Wrong.DAMAGED)
            self._left -= len(piece)
            yield piece


def unpack(file: TarFile, target: Path) -> None:
    """Write a file to a place where nothing is, for us alone. Raises BadTar for a second one."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as to:
            os.fchmod(to.fileno(), 0o600)
            for piece in file.pieces():
                to.write(piece)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        raise BadTar(Wrong.TWICE, file.path) from None


def is_gzipped(stream: BinaryIO) -> bool:
    """By its first bytes; leaves it at its beginning."""
    first = stream.read(len(_GZIP))
    stream.seek(0)
    return first == _GZIP


def files_in(stream: BinaryIO, bounds: Bounds) -> Iterator[TarFile]:
    """Yield the files of an archive, gzipped or plain, one after the other. Raises BadTar."""
    if is_gzipped(stream):
        with gzip.GzipFile(fileobj=stream) as plain:
            yield from _files_in(plain, bounds)  # type: ignore[arg-type] # it reads bytes, too
    else:
        yield from _files_in(stream, bounds)


def _read(stream: BinaryIO, length: int) -> bytes:
    try:
        return stream.read(length)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise BadTar(Wrong.DAMAGED) from None


def _files_in(stream: BinaryIO, bounds: Bounds) -> Iterator[TarFile]:
    entries = size = 0
    pax: dict[bytes, bytes] = {}
    while (header := _read(stream, _BLOCK)).strip(b"\0"):
        entries += 1
        if entries > bounds.entries:
            raise BadTar(Wrong.TOO_MANY)
        kind, length = header[156:157], _size(header, pax)
        if kind in (_LONG_NAME, _PAX, _PAX_FOR_ALL):
            more = _more_about_the_next(stream, kind, length)
            pax = {**pax, **more} if kind != _PAX_FOR_ALL else pax
            continue
        path = pax.get(b"path", _name(header)).decode(errors="replace")
        wrong = Wrong.SPARSE if b"GNU.sparse" in pax else _wrong(kind)
        if wrong:
            raise BadTar(wrong, path)
        size += length
        if size > bounds.size:
            raise BadTar(Wrong.TOO_LARGE)
        pax = {}
        file = TarFile(path, length, stream, length)
        if kind in _PLAIN:
            yield file
        for _ in file.pieces():
            pass
        _skip_to_block(stream, length)
    if not entries:
        raise BadTar(Wrong.DAMAGED)


def _wrong(kind: bytes) -> Wrong | None:
    if kind in (*_PLAIN, _FOLDER):
        return None
    if kind == _SPARSE:
        return Wrong.SPARSE
    return Wrong.LINK if kind in _LINKS else Wrong.OTHER


def _more_about_the_next(stream: BinaryIO, kind: bytes, length: int) -> dict[bytes, bytes]:
    if length > MAX_HEADER_BYTES:
        raise BadTar(Wrong.TOO_LARGE)
    content = _read(stream, length)
    if len(content) < length:
        raise BadTar(Wrong.DAMAGED)
    _skip_to_block(stream, length)
    if kind == _LONG_NAME:
        return {b"path": content.rstrip(b"\0")}
    return {record[1]: record[2] for record in _RECORD.finditer(content)}


def _skip_to_block(stream: BinaryIO, length: int) -> None:
    _read(stream, -length % _BLOCK)


def _size(header: bytes, pax: dict[bytes, bytes]) -> int:
    """Return the length of the content. Raises BadTar for what is no header."""
    digits, check = header[124:136].strip(b"\0 "), header[148:156].strip(b"\0 ")
    if not re.fullmatch(rb"[0-7]{1,11}", digits) or not re.fullmatch(rb"[0-7]{1,7}", check):
        raise BadTar(Wrong.DAMAGED)
    is_header = header[257:262] == b"ustar" and len(header) == _BLOCK
    if not is_header or sum(header) - sum(header[148:156]) + 8 * 32 != int(check, 8):
        raise BadTar(Wrong.DAMAGED)
    length = pax.get(b"size", b"%d" % int(digits, 8))
    if not re.fullmatch(rb"\d{1,19}", length):
        raise BadTar(Wrong.DAMAGED)
    return int(length)


def _name(header: bytes) -> bytes:
    name = header[:100].partition(b"\0")[0]
    prefix = header[345:500].partition(b"\0")[0] if header[257:263] == b"ustar\0" else b""
    return prefix + b"/" + name if prefix else name
