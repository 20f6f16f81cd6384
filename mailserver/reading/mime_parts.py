"""A raw letter -> headers and a tree of parts, within bounds; bytes -> text by their charset. Pure.

Only header blocks are given to the standard library's parser, each of bounded size; the parts are
split here, so that no letter can cost a RecursionError, a minute or a gigabyte (M28, M29, M31).
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header
from email.parser import BytesHeaderParser
from email.policy import compat32
from functools import cached_property
from typing import TypeVar

from contest.language import gettext
from contest.util.sanitize import visible

T = TypeVar("T")

MAX_HEADER_BYTES = 64_000
MAX_HEADER_LINES = 1_000
# on a letter whose body was left out: its bytes, and how many it may have
CUT_FIELD = "X-Knobeln-Cut"
MAX_HOPS = 50  # mail servers on the way; a larger number means a loop (RFC 5321, 6.3)
MAX_PART_HEADER_BYTES = 8_000
# Of a field with parameters, for which the library needs quadratic time.
MAX_TYPE_BYTES = 4_000
MAX_PARAMETERS = 200
MAX_DEPTH = 10
MAX_PARTS = 50
_MAX_TYPES = 4  # Content-Type fields of one part, each of which its body is compared with
_MAX_FIELD_CHARACTERS = 2_000
# a byte order mark, and the first line of a mailbox file
_BEFORE_HEADERS = re.compile(rb"\A(?:\xef\xbb\xbf)?[\r\n]*(?:From (?![ \t]*:)[^\r\n]*)?[\r\n]*")
_FIELD_NAME = rb"[!-9;-~]+[ \t]*:"
# The form's first field is no header, where no blank line stands before it.
_FIELDS = re.compile(
    rb"(?:(?!mail-address)(?:" + _FIELD_NAME + rb"|[ \t]+(?=\S))[^\n]*(?:\n|\Z))+", re.IGNORECASE
)
_USUAL_FIELD = (
    rb"(?:From|To|Cc|Subject|Date|Sender|Reply-To|Message-ID|MIME-Version|Received|Return-Path"
    rb"|Delivered-To|DKIM-Signature|User-Agent|(?:Content|List|X)-[\w-]+)[ \t]*:"
)
# Lines that are no fields, nor a boundary, but stand directly above a usual field.
_STRAY_LINES = re.compile(
    rb"(?:(?!--|" + _FIELD_NAME + rb")[^\n]+\n){1,3}(?=" + _USUAL_FIELD + rb")", re.IGNORECASE
)
_BLANK_LINE = re.compile(rb"[ \t]*(?:\n|\Z)")
_BLANK_BEFORE_COLON = re.compile(rb"^([!-9;-~]+)[ \t]+:", re.MULTILINE)
_NO_FIELD = re.compile(rb"^(?!" + _FIELD_NAME + rb"|[ \t])[^\n]*\n?", re.MULTILINE)
# the first line in a body that begins a part
_ANY_BOUNDARY = re.compile(
    rb"^--([!-~]{1,200})[ \t]*\n(?=Content-[\w-]+[ \t]*:)", re.MULTILINE | re.IGNORECASE
)
_RECEIVED = re.compile(rb"^received[ \t]*:", re.IGNORECASE | re.MULTILINE)


class TooComplex(Exception):
    """The letter is beyond our bounds; the text says which one."""


class Headers:
    """A header block: fields as raw text, and what the Content- fields say. Nothing here raises."""

    def __init__(self, block: bytes) -> None:
        fields = _BLANK_BEFORE_COLON.sub(rb"\1:", _NO_FIELD.sub(b"", block))
        self._message = BytesHeaderParser(policy=compat32).parsebytes(fields + b"\n\n")
        self._fields = [
            (field.casefold(), str(value)) for field, value in self._message.raw_items()
        ]
        self._names = {field for field, _ in self._fields}

    def all(self, name: str) -> tuple[str, ...]:
        """Return the values of all fields of this name: unfolded, 8-bit text decoded, encoded words
        left alone."""
        return tuple(value for field, value in self.fields(name))

    def fields(self, *names: str) -> Iterator[tuple[str, str]]:
        """Return the fields of these names, in the order of the letter: (name in lower case, value
        as above)."""
        wanted = self._names.intersection(map(str.casefold, names))
        found = self._fields if wanted else ()
        return ((field, _unfolded(value)) for field, value in found if field in wanted)

    def with_type(self, value: str) -> Headers:
        """Return the same headers, but with this one as their only Content-Type."""
        block = b"".join(
            f"{name}: {text}\n".encode("utf-8", "surrogateescape")
            for name, text in self._message.raw_items()
            if name.casefold() != "content-type"
        )
        field = f"Content-Type: {value}\n".encode("utf-8", "surrogateescape")
        return Headers(block + field)

    def first(self, name: str) -> str:
        return next(iter(self.all(name)), "")

    def text(self, name: str) -> str:
        """Return the first field of this name for people: encoded words decoded."""
        return decode_words(self.first(name)[:_MAX_FIELD_CHARACTERS])

    @cached_property
    def content_type(self) -> str:
        return _tolerant(self._message.get_content_type, "text/plain")

    @property
    def is_multipart(self) -> bool:
        return self.content_type.startswith("multipart/")

    @cached_property
    def disposition(self) -> str:
        return _tolerant(self._message.get_content_disposition, None) or ""

    @property
    def file_name(self) -> str:
        """The name of an attached file, fit for an answer."""
        return visible(self.sent_file_name)

    @cached_property
    def sent_file_name(self) -> str:
        """The name of an attached file exactly as it was sent, whatever is in it."""
        name = _tolerant(self._message.get_filename, None) or ""
        return decode_words(name[:_MAX_FIELD_CHARACTERS])

    @cached_property
    def boundary(self) -> str:
        boundary = _tolerant(self._message.get_boundary, None) or ""
        return boundary if boundary.isascii() else ""

    def parameter(self, name: str) -> str:
        """Return a parameter of Content-Type, "" where it is missing or unreadable."""
        value = next((value for found, value in self._parameters if found.lower() == name), "")
        return value[2] or "" if isinstance(value, tuple) else value

    @cached_property
    def _parameters(self) -> Sequence[tuple[str, str | tuple[str | None, str | None, str | None]]]:
        return _tolerant(self._message.get_params, None) or ()


@dataclass(frozen=True)
class Part:
    """A leaf (its body still encoded for transfer) or a multipart with its children."""

    headers: Headers
    body: bytes
    children: tuple[Part, ...] = ()
    is_cut: bool = False  # the letter ends in this part, although a boundary should follow
    remark: str = ""  # what was wrong with its headers, and how it was read

    def walk(self) -> Iterator[Part]:
        """This part and all in it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def leaves(self) -> Iterator[Part]:
        return (part for part in self.walk() if not part.headers.is_multipart)


def split(raw: bytes) -> tuple[Headers, Part | None, str]:
    """Return the headers and the parts of a letter, with plain newlines; or no parts, and which of
    our bounds it exceeds. Then the headers are empty if they do so themselves. Never raises."""
    headers = Headers(b"")
    try:
        headers, body, is_parted = _headers_and_body(raw)
        return headers, _Splitter().part(headers, body, 1, remark=_unparted(is_parted)), ""
    except TooComplex as error:
        return headers, None, str(error)


def _head_and_body(raw: bytes) -> tuple[bytes, bytes, bool]:
    text = raw.replace(b"\r\n", b"\n")
    if b"\n" not in text:
        text = text.replace(b"\r", b"\n")
    return _divided(_BEFORE_HEADERS.sub(b"", text, count=1))


def _divided(text: bytes) -> tuple[bytes, bytes, bool]:
    """Return the headers and the body of a letter or part, and whether a blank line parts them.

    Without one the body begins with the first line that can be no header. A carriage return that
    stands alone ends a line of headers. A body keeps it, and who reads it says so.
    """
    as_lines = text.replace(b"\r", b"\n")
    end = 0
    while found := _FIELDS.match(as_lines, end) or _STRAY_LINES.match(as_lines, end):
        end = found.end()
    blank_line = _BLANK_LINE.match(as_lines, end)
    body = blank_line.end() if blank_line else end
    return as_lines[:end].rstrip(b"\n"), text[body:], blank_line is not None


def head_of(raw: bytes) -> bytes:
    """Return the header block of a letter, with plain newlines."""
    return _head_and_body(raw)[0]


def is_too_large(head: bytes) -> bool:
    """Return whether we could not read a letter because of this header block."""
    return len(head) > MAX_HEADER_BYTES or head.count(b"\n") >= MAX_HEADER_LINES


def count_hops(head: bytes) -> int:
    """Return how many mail servers have passed the letter on: its Received fields."""
    return len(_RECEIVED.findall(head))


def _headers_and_body(raw: bytes) -> tuple[Headers, bytes, bool]:
    head, body, is_parted = _head_and_body(raw)
    if is_too_large(head):
        raise TooComplex(
            f"its headers are longer than {MAX_HEADER_BYTES:,} bytes or {MAX_HEADER_LINES:,} lines"
        )
    if b"\0" in head:
        raise TooComplex("there is a NUL character in its headers")
    return Headers(head), body, is_parted


class _Splitter:
    """Counts the parts of one letter while it is split."""

    def __init__(self) -> None:
        self._count = 0

    def part(
        self, headers: Headers, body: bytes, depth: int, *, is_cut: bool = False, remark: str = ""
    ) -> Part:
        self._bound(headers, depth)
        headers, boundary, oddity = _as_it_is(headers, body)
        told = "; ".join(filter(None, (remark, oddity)))
        if not boundary:
            return Part(headers, body, is_cut=is_cut, remark=told)
        may_be_cut = is_cut or depth == 1
        pieces = self._pieces(body, boundary)
        children = (
            self._child(piece, depth + 1, is_open and may_be_cut, told) for piece, is_open in pieces
        )
        return Part(headers, b"", tuple(children), remark=told)

    def _bound(self, headers: Headers, depth: int) -> None:
        self._count += 1
        if self._count > MAX_PARTS:
            raise TooComplex(f"it has more than {MAX_PARTS} parts")
        if depth > MAX_DEPTH:
            raise TooComplex(f"its parts are nested deeper than {MAX_DEPTH}")
        for name in ("Content-Type", "Content-Disposition"):
            for value in headers.all(name):
                if len(value) > MAX_TYPE_BYTES:
                    raise TooComplex(f"a {name} field is longer than {MAX_TYPE_BYTES:,} characters")
                if value.count(";") > MAX_PARAMETERS:
                    raise TooComplex(f"a {name} field has more than {MAX_PARAMETERS} parameters")

    def _child(self, piece: bytes, depth: int, is_cut: bool, remark: str) -> Part:
        head, body, is_parted = _divided(piece)
        if len(head) > MAX_PART_HEADER_BYTES:
            raise TooComplex(
                f"the headers of a part are longer than {MAX_PART_HEADER_BYTES:,} bytes"
            )
        told = "; ".join(filter(None, (remark, _unparted(is_parted or not head))))
        return self.part(Headers(head), body, depth, is_cut=is_cut, remark=told)

    def _pieces(self, body: bytes, boundary: str) -> Iterator[tuple[bytes, bool]]:
        """Yield the parts, and whether no boundary ends them."""
        marks = _delimiter(boundary).finditer(body)
        start: int | None = None
        for mark in marks:
            if start is not None:
                yield body[start : max(start, mark.start() - 1)], False
            start = mark.end() + 1
            if mark[1]:
                return
        if start is not None:
            yield body[start:], True


def _unparted(is_parted: bool) -> str:
    if is_parted:
        return ""
    return gettext(
        "no blank line stands between the headers and the text; the text was taken from the first"
        " line that can be no header"
    )


def _as_it_is(headers: Headers, body: bytes) -> tuple[Headers, str, str]:
    """Return the headers as they fit the body, the boundary of its parts ("" = it has none), and a
    remark where the headers say something else."""
    types = tuple(dict.fromkeys(headers.all("Content-Type")))[:_MAX_TYPES]
    readings = [headers] if len(types) < 2 else [headers.with_type(value) for value in types]
    several = (
        gettext("the letter names several Content-Types; the one that fits was taken")
        if len(types) > 1
        else ""
    )
    for reading in readings:
        if boundary := _boundary_in(reading, body):
            return reading, boundary, several
    plain = next((reading for reading in readings if not reading.is_multipart), None)
    found = _ANY_BOUNDARY.search(body)
    begins_with_it = found is not None and not body[: found.start()].strip()
    if found and found[1].isascii() and (begins_with_it or plain is None):
        words = gettext("the letter does not name the boundary of its parts; it was found in them")
        return headers.with_type("multipart/mixed"), found[1].decode(), words
    if plain is not None:
        return plain, "", several
    words = gettext("the parts that the letter announces are not in it; it was read as one text")
    return headers.with_type("text/plain"), "", words


def _boundary_in(headers: Headers, body: bytes) -> str:
    """Return the boundary that these headers name, as it stands in the body; "" = it does not."""
    named = headers.boundary if headers.is_multipart else ""
    without_comment = re.sub(r"\s*\([^()]*\)\s*$", "", named)
    readings = dict.fromkeys((named, without_comment, without_comment.strip("\"' ;")))
    return next((each for each in readings if each and _delimiter(each).search(body)), "")


def _delimiter(boundary: str) -> re.Pattern[bytes]:
    return re.compile(rb"^--" + re.escape(boundary.encode()) + rb"(--)?[ \t]*$", re.MULTILINE)


def decode_words(value: str) -> str:
    """RFC 2047: `=?utf-8?q?caf=C3=A9?=` -> `café`. Text that cannot be decoded stays as it is."""
    try:
        chunks = decode_header(value)
    except (HeaderParseError, ValueError, LookupError):
        return value
    return "".join(
        chunk if isinstance(chunk, str) else decode_text(chunk, charset or "")[0]
        for chunk, charset in chunks
    )


def _unfolded(value: str) -> str:
    raw = value.encode("utf-8", "surrogateescape")
    return re.sub(r"\n(?=[ \t])", "", decode_text(raw, "")[0]).strip()


def _tolerant(read: Callable[[], T], default: T) -> T:
    """Return the value that the standard library reads, or the default if it fails on garbage."""
    try:
        return read()
    except (ValueError, LookupError, TypeError, AttributeError, HeaderParseError):
        return default


# --- charsets -------------------------------------------------------------------------------------
# Python knows codecs that are no charsets (zip, punycode, unicode_escape); these are what mailers
# use.
_KNOWN = re.compile(
    r"utf[-_]?(8|16|32)([-_]?[lb]e)?|iso[-_]?8859[-_]?\d{1,2}|latin-?[1-9]|windows-?125\d|cp-?125\d"
    r"|windows-?874|cp437|cp850|ibm850|macintosh|mac-roman|koi8-[rut]|gb2312|gbk|gb18030|big5|shift_jis"
    r"|windows-31j|euc-(jp|kr)|ks_c_5601-1987|iso-2022-(jp|kr)",
    re.IGNORECASE,
)
_ONE_BYTE = re.compile(r"iso|latin|windows|cp|mac|koi|ibm", re.IGNORECASE)
_LATIN_1 = re.compile(r"iso[-_]?8859[-_]?1|latin-?1", re.IGNORECASE)
_ASCII = re.compile(r"(us-)?ascii|ansi_x3\.4-1968|", re.IGNORECASE)
_UTF_7 = re.compile(r"(?:unicode-1-1-)?utf-?7", re.IGNORECASE)
_WRITTEN_IN_UTF_7 = re.compile(rb"\+ADwAPA-FROM\+AD4APg-")  # `<<FROM>>`
_HYPHENLESS = re.compile(r"(windows|cp)-?(?=125|874)", re.IGNORECASE)
_WINDOWS_ONLY = re.compile(
    rb"[\x80-\x9f]"
)  # control characters in Latin-1, quotes and dashes in Windows-1252


def decode_text(data: bytes, charset: str) -> tuple[str, str]:
    """Return the text without a byte order mark, and a remark where the charset was not to be
    trusted ("" = none).

    Without a usable charset, text that is not ASCII is UTF-8 if it can be, and Latin-1 otherwise
    (M13, M14). The same goes for a charset of one byte per character: text that reads as UTF-8
    nearly always is.
    """
    plain_to_see = _by_mark(data) or _by_nulls(data)
    marked = (plain_to_see, "") if plain_to_see is not None else _from_utf_7(data, charset)
    if marked is not None:
        return marked
    if _ASCII.fullmatch(charset):
        why = (
            gettext("the text is not %(charset)s", charset=charset)
            if charset
            else gettext("the text names no charset")
        )
        return (data.decode(), "") if data.isascii() else _guess(data, why)
    if not _KNOWN.fullmatch(charset):
        return _guess(
            data, gettext("the charset %(charset)s is unknown", charset=ascii(charset[:40]))
        )
    if _ONE_BYTE.match(charset) and not data.isascii() and _is_utf8(data):
        return data.decode(), gettext(
            "the text is not %(charset)s, as its letter says; it was read as UTF-8", charset=charset
        )
    try:
        return data.decode(_codec(data, charset)).removeprefix("\ufeff"), ""
    except (UnicodeError, LookupError):
        return _guess(data, gettext("the text is not valid %(charset)s", charset=charset))


def _from_utf_7(data: bytes, charset: str) -> tuple[str, str] | None:
    """Return the text of UTF-7, and a remark; None if it is not in UTF-7."""
    if not _UTF_7.fullmatch(charset) and not _WRITTEN_IN_UTF_7.search(data):
        return None
    try:
        text = data.decode("utf-7")
    except UnicodeError:
        return None
    return text, gettext(
        "the text was in UTF-7, which few mail programs still know; please send UTF-8"
    )


def _codec(data: bytes, charset: str) -> str:
    """Python's name. Mailers on Windows say Latin-1 and mean their own charset, as browsers
    know."""
    if _LATIN_1.fullmatch(charset) and _WINDOWS_ONLY.search(data):
        return "cp1252"
    return _HYPHENLESS.sub("cp", charset)


def _by_mark(data: bytes) -> str | None:
    """Decode text that begins with a byte order mark, which names the charset."""
    for mark, name in (
        (BOM_UTF8, "utf-8"),
        (BOM_UTF32_LE, "utf-32-le"),  # it begins as the next one does
        (BOM_UTF32_BE, "utf-32-be"),
        (BOM_UTF16_LE, "utf-16-le"),
        (BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            try:
                return data.removeprefix(mark).decode(name)
            except UnicodeError:
                return None
    return None


def _by_nulls(data: bytes) -> str | None:
    """UTF-16 without a mark: most of every second bytes are zero, and no other.

    A line end that was added to it, or cut off from it, is no half of a character.
    """
    whole = data[: len(data) // 2 * 2]
    for first, name in ((1, "utf-16-le"), (0, "utf-16-be")):
        characters, high = whole[1 - first :: 2], whole[first::2]
        zeros = high.count(0)
        if high and zeros >= _MOST * len(high) and 0 not in characters.rstrip(b"\0"):
            try:
                return whole.decode(name)
            except UnicodeError:
                return None
    return None


_MOST = 0.8  # so much of a text in a European language has a character below U+0100


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeError:
        return False
    return True


def _guess(data: bytes, why: str) -> tuple[str, str]:
    if _is_utf8(data):
        return data.decode(), gettext("%(why)s; it was read as UTF-8", why=why)
    if _WINDOWS_ONLY.search(data):
        try:
            return data.decode("cp1252"), gettext("%(why)s; it was read as Windows-1252", why=why)
        except UnicodeError:
            pass  # five bytes mean nothing there
    return data.decode("latin-1"), gettext("%(why)s; it was read as Latin-1", why=why)
