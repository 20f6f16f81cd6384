"""Unpack layers into one scratch file, counting every byte."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from sandbox.oci.refusal import HOW_TO_SEND, Refused

_CHUNK_BYTES = 1024 * 1024
_SLICE_BYTES = 64 * 1024
_MAX_GZIP_MEMBERS = 200_000  # of one file; some tools write one for every file in a layer
_GZIP = b"\x1f\x8b"
_OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"\xfd7zXZ": "compressed with xz",
    b"BZh": "compressed with bzip2",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a rar archive",
    b"\x7fELF": "a program, not an image",
}


@dataclass(frozen=True)
class Part:
    """A part of a file: `size` bytes from `offset` on."""

    file: BinaryIO
    offset: int
    size: int

    def chunks(self) -> Iterator[bytes]:
        position, end = self.offset, self.offset + self.size
        while position < end:
            self.file.seek(position)
            chunk = self.file.read(min(_CHUNK_BYTES, end - position))
            if not chunk:
                raise Refused("the archive became shorter while it was read")
            position += len(chunk)
            yield chunk

    def digest(self) -> str:
        """sha256 in hex."""
        sha256 = hashlib.sha256()
        for chunk in self.chunks():
            sha256.update(chunk)
        return sha256.hexdigest()

    def start(self) -> bytes:
        self.file.seek(self.offset)
        return self.file.read(min(8, self.size))


class Spool:
    """Unpacks parts, gzipped or not, into `file`, up to `max_bytes` for all of them together."""

    def __init__(self, file: BinaryIO, max_bytes: int) -> None:
        self._file = file
        self._max_bytes = max_bytes
        self._size = 0

    def take(self, part: Part, what: str) -> Part:
        """Unpack the part and return the result. Raises Refused; `what` names the part in its message."""
        _check_form(part, what)
        offset = self._size
        for chunk in _unzipped(part, what) if is_gzipped(part) else part.chunks():
            self._size += len(chunk)
            if self._size > self._max_bytes:
                raise Refused(f"it is too large: unpacked it has more than {self._max_bytes:,} bytes")
            self._file.seek(0, 2)
            self._file.write(chunk)
        return Part(self._file, offset, self._size - offset)

    def plain(self, part: Part, what: str) -> Part:
        """Return the part itself if it is not gzipped, or else the result of `take`."""
        _check_form(part, what)
        return self.take(part, what) if is_gzipped(part) else part


def is_gzipped(part: Part) -> bool:
    return part.start().startswith(_GZIP)


def _check_form(part: Part, what: str) -> None:
    start = part.start()
    for magic, name in _OTHER_FORMATS.items():
        if start.startswith(magic):
            raise Refused(f"{what} is {name}; {HOW_TO_SEND}")


def _unzipped(part: Part, what: str) -> Iterator[bytes]:
    """Yield at most a chunk at a time, so that a decompression bomb cannot fill the memory."""
    unzipper, gzip_members = _unzipper(), 1
    try:
        for piece in _slices(part):
            waiting = piece
            while waiting:
                if unzipper.eof:
                    unzipper, gzip_members = _unzipper(), gzip_members + 1
                if gzip_members > _MAX_GZIP_MEMBERS:
                    raise Refused(f"{what} is gzipped in more than {_MAX_GZIP_MEMBERS:,} pieces")
                yield unzipper.decompress(waiting, _CHUNK_BYTES)
                waiting = unzipper.unused_data if unzipper.eof else unzipper.unconsumed_tail
    except zlib.error as error:
        raise Refused(f"{what} is damaged: {error}") from None
    if not unzipper.eof:
        raise Refused(f"{what} is cut off: its gzip stream has no end; send it again")


def _unzipper() -> zlib._Decompress:
    return zlib.decompressobj(zlib.MAX_WBITS | 16)


def _slices(part: Part) -> Iterator[bytes]:
    """Yield small pieces of the part, because each gzip member copies the rest of its piece."""
    for chunk in part.chunks():
        for start in range(0, len(chunk), _SLICE_BYTES):
            yield chunk[start : start + _SLICE_BYTES]
