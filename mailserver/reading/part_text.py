"""A part of a letter -> its lines as the sender saw them: transfer encoding, charset, wrapping.
Pure.

Repairs here are right for any text; those that need a program to be certain are in
`c_source_repair`.
"""

from __future__ import annotations

import binascii
import quopri
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from contest.language import gettext, ngettext, number
from contest.mail.sent_files import lines_named, with_newlines
from mailserver.reading import html
from mailserver.reading.mime_parts import Part, decode_text

SIGNATURE_MARK = "-- "
# characters. A mailer wraps a line because the next word did not fit; shorter lines are meant to be
# short.
WRAPS_FROM = 60
BROKEN_FROM = 989  # bytes; a letter's line may have 998, and sendmail breaks it after 990
MAX_CHARACTERS = 1_000_000
MAX_LINES = 50_000

Lines = Sequence[str]
Repair = Callable[[Lines], tuple[Lines, str]]

_ENCODED = re.compile(rb"=[0-9A-Fa-f]{2}|=[ \t]*$", re.MULTILINE)
_ENCODED_EQUALS = re.compile(rb"=3[Dd]")
_BASE64_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2}")
SEPARATOR = re.compile("[\u2028\u2029]")  # a line end if the text has no other ones
_SOFT_BREAK = re.compile(rb"=[ \t]*(?:[\r\n]|\Z)")
# No C program and no form has any of these, but `<p && q>` is a comparison.
_HTML = re.compile(
    r"<!doctype\s+html|<html\b|<body\b|<(?:br\s*/?|p|pre|div|span|tt|code)>|</[a-z]+[1-6]?\s*>",
    re.IGNORECASE,
)
_BEGINS_AS_HTML = re.compile(r"\s*(?:<!doctype\s+html|<html\b)", re.IGNORECASE)
_QUOTES = re.compile(r"(?:> ?){1,10}")
_SIGNED = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE = "-----BEGIN PGP SIGNATURE-----"


@dataclass(frozen=True)
class Text:
    """Lines without line ends. `repairs` says what was repaired, in sentences without a full
    stop."""

    lines: tuple[str, ...]
    repairs: tuple[str, ...] = ()
    problem: str = ""  # why the text cannot be read; there are no lines then
    name: str = ""  # the file's name, where it is an attachment

    @property
    def is_blank(self) -> bool:
        return not any(line.strip() for line in self.lines)

    def after(self, *repairs: Repair) -> Text:
        """The text when it was repaired so, and what was done to it."""
        lines: Lines = self.lines
        told = list(self.repairs)
        for repair in repairs:
            lines, words = repair(lines)
            told += [words] if words else []
        return replace(self, lines=tuple(lines), repairs=tuple(told))

    def told(self, words: str) -> Text:
        """The text with one more remark."""
        return self.after(lambda lines: (lines, words))


def without_end(lines: Lines) -> tuple[Lines, str]:
    """Without blank lines at the end, which nobody misses."""
    end = next((n for n in range(len(lines), 0, -1) if lines[n - 1].strip()), 0)
    return lines[:end], ""


@dataclass(frozen=True)
class SentFile:
    """The bytes of a part without the transfer encoding, or why they cannot be read; what was
    repaired.

    `name`: where it is an attached file, its name exactly as sent.
    """

    data: bytes = field(repr=False)
    remark: str = ""
    problem: str = ""
    name: str = ""


def decode(part: Part) -> Text:
    """The text of a leaf."""
    name = part.headers.file_name
    sent = _transferred(part)
    if sent.problem:
        return Text((), problem=sent.problem, name=name)
    text, remark = decode_text(sent.data, part.headers.parameter("charset").strip())
    lines, repairs = _lines(text, part) if len(text) <= MAX_CHARACTERS else ((), ())
    problem = _unreadable(text, lines)
    if problem:
        return Text((), problem=problem, name=name)
    told = tuple(filter(None, (sent.remark, remark, *repairs)))
    return Text(lines, told, name=name).after(*_repairs(part), without_end)


def decode_file(file: SentFile) -> Text:
    """The text of a file of which no letter names the charset."""
    text, remark = decode_text(file.data, "utf-8" if _is_utf8(file.data) else "")
    text, of_ends = with_newlines(text)
    lines = tuple(text.split("\n")) if len(text) <= MAX_CHARACTERS else ()
    problem = file.problem or _unreadable(text, lines)
    if problem:
        return Text((), problem=problem, name=file.name)
    told = tuple(filter(None, (file.remark, remark, of_ends)))
    return Text(lines, told, name=file.name).after(plain_blanks, without_end)


def file_bytes(part: Part) -> SentFile:
    """The bytes of an attached file as its sender meant them.

    Line ends became newlines when the letter was split, but not below base64 and not where
    quoted-printable writes them out. We undo the changes that `format=flowed` made to a file.
    """
    sent = replace(_transferred(part), name=part.headers.sent_file_name)
    if sent.problem or not is_flowed(part):
        return sent
    lines, _ = unflowed(sent.data.decode("latin-1").split("\n"), delete_space=_deletes_space(part))
    return replace(sent, data="\n".join(lines).encode("latin-1"))


def _unreadable(text: str, lines: Lines) -> str:
    """Why we do not read this text; "" = we do."""
    if "\0" in text:
        return gettext("there are NUL characters in its text")
    if len(text) > MAX_CHARACTERS:
        return gettext(
            "its text is longer than %(max_characters)s characters",
            max_characters=number(MAX_CHARACTERS),
        )
    if len(lines) > MAX_LINES:
        return gettext("its text has more than %(max_lines)s lines", max_lines=number(MAX_LINES))
    return ""


def _lines(text: str, part: Part) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines that a reader sees, with remarks: where they were taken out of HTML (M23), or ended
    oddly."""
    labelled = part.headers.content_type == "text/html"
    if _is_html(text, labelled=labelled):
        return html.seen_lines(text), (
            gettext("the text was taken out of HTML; plain text or an attached file is safer"),
        )
    remark = gettext("the text was not HTML, though its letter said so") if labelled else ""
    text, of_ends = with_newlines(text)
    if "\n" in text.strip("\n"):
        return tuple(text.split("\n")), (remark, of_ends)
    text, separators = SEPARATOR.subn("\n", text)
    of_separators = separated_remark(range(1, separators + 1)) if separators else ""
    return tuple(text.split("\n")), (remark, of_ends, of_separators)


def _is_html(text: str, *, labelled: bool) -> bool:
    """Whether a text is HTML; what it is labelled as decides only where it may be either."""
    return (_HTML.search(text) if labelled else _BEGINS_AS_HTML.match(text)) is not None


def separated_remark(numbers: Iterable[int]) -> str:
    """What was done to the lines that SEPARATOR ended."""
    return gettext(
        "a line or paragraph separator (U+2028, U+2029) was read as a line end in %(lines_named)s",
        lines_named=lines_named(numbers),
    )


def _repairs(part: Part) -> Iterable[Repair]:
    if is_flowed(part):
        yield lambda lines: unflowed(lines, delete_space=_deletes_space(part))
    yield _unbroken
    yield unarmored
    yield unquoted
    yield plain_blanks


def is_flowed(part: Part) -> bool:
    """Whether its lines say by a blank at their end that they go on (RFC 3676)."""
    return part.headers.parameter("format").lower() == "flowed"


def _deletes_space(part: Part) -> bool:
    return part.headers.parameter("delsp").lower() == "yes"


# --- the transfer encoding ------------------------------------------------------------------------
def _transferred(part: Part) -> SentFile:
    sent = _decoded(part)
    cut = (
        gettext("the letter ends before its end, so something may be missing here")
        if part.is_cut
        else ""
    )
    return replace(sent, remark="; ".join(filter(None, (part.remark, sent.remark, cut))))


def _decoded(part: Part) -> SentFile:
    field = ", ".join(dict.fromkeys(part.headers.all("Content-Transfer-Encoding")))
    word = _COMMENT.sub("", field[:_MAX_ENCODING]).partition(";")[0]
    encoding = _NO_LETTER_OR_DIGIT.sub("", word).lower()
    match encoding:
        case "" | "7bit" | "8bit" | "binary" | "7bits" | "8bits" | "none":
            return _unlabelled(part)
        case "quotedprintable" | "qp":
            return _quoted_printable(part.body)
        case "base64" | "b64":
            return _base64(part.body)
        case _:
            return _unknown(part, field)


# `"base64"`, `quoted-printable;`, `8-bit (a comment)`: all say what they mean
_COMMENT = re.compile(r"\([^()]*\)?")
_NO_LETTER_OR_DIGIT = re.compile(r"[^A-Za-z0-9]")
_MAX_ENCODING = 200


def _unknown(part: Part, encoding: str) -> SentFile:
    """A body whose transfer encoding nobody knows: base64 if it is all that, else as it stands."""
    is_packed = _is_packed(part.body)
    sent = _base64(part.body) if is_packed else _unlabelled(part)
    if sent.problem:
        return sent
    how = gettext("it was read as base64") if is_packed else gettext("it was read as plain text")
    remark = gettext(
        "its transfer encoding %(encoding)s is unknown; %(how)s",
        encoding=ascii(encoding[:40]),
        how=how,
    )
    return replace(sent, remark="; ".join(filter(None, (remark, sent.remark))))


def _unlabelled(part: Part) -> SentFile:
    """Text that a gateway took the label from: base64, or quoted-printable, in which every `=`
    stands before two hex digits or a line end."""
    data = part.body
    is_text = part.headers.content_type.startswith("text/")
    if is_text and _ENCODED_EQUALS.search(data) and len(_ENCODED.findall(data)) == data.count(b"="):
        return SentFile(
            from_quoted_printable(data),
            gettext("the text was quoted-printable, though its letter did not say so"),
        )
    text = _base64(data).data if is_text and _is_packed(data) else b""
    if text and _is_utf8(text):
        return SentFile(text, gettext("the text was base64, though its letter did not say so"))
    return SentFile(data)


def _is_packed(body: bytes) -> bool:
    """Whether all of a body looks like base64, and it is too long for a word."""
    packed = b"".join(body.split())
    return len(packed) >= WRAPS_FROM and _BASE64_LINE.fullmatch(packed) is not None


def _is_utf8(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False


def _quoted_printable(data: bytes) -> SentFile:
    """Encoders write each `=` of the text as `=3D`, so text with other ones and no `=3D` is not
    encoded."""
    if not _ENCODED_EQUALS.search(data) and len(_ENCODED.findall(data)) != data.count(b"="):
        return SentFile(
            data, gettext("the text was not quoted-printable, though its letter said so")
        )
    return SentFile(from_quoted_printable(data))


def from_quoted_printable(data: bytes) -> bytes:
    """The decoded bytes. Blanks behind a soft line break come from the way here (RFC 2045, 6.7,
    rule 3)."""
    return quopri.decodestring(_SOFT_BREAK.sub(b"=\n", data))


def _base64(body: bytes) -> SentFile:
    lines = [line.strip() for line in body.rstrip().replace(b"\r", b"\n").split(b"\n")]
    end = next(
        (n for n, line in enumerate(lines) if line and not _BASE64_LINE.fullmatch(line)), len(lines)
    )
    added = [line for line in lines[end:] if line]
    packed = b"".join(lines[:end])
    if _is_plain(packed, added):
        return SentFile(body, gettext("the text was not base64, though its letter said so"))
    if added and not _is_prose(added):
        return SentFile(
            b"",
            problem=gettext("its base64 encoding is damaged (in line %(end)s of it)", end=end + 1),
        )
    try:
        data = binascii.a2b_base64(packed + b"=" * (-len(packed) % 4), strict_mode=True)
    except binascii.Error as error:
        return SentFile(
            b"", problem=gettext("its base64 encoding is damaged (%(error)s)", error=error)
        )
    remark = ngettext(
        "%(num)s line that somebody had added below its base64 text was left out",
        "%(num)s lines that somebody had added below its base64 text were left out",
        len(added),
    )
    return SentFile(data, remark if added else "")


def _is_plain(packed: bytes, others: Sequence[bytes]) -> bool:
    """Whether this is no base64 at all, but words. `packed`: the lines above the first one that can
    be none, `others`: that one, and those below."""
    if not any(b" " in line for line in others):
        return False
    return not packed or (len(packed) < WRAPS_FROM and not _is_prose(others))


def _is_prose(lines: Sequence[bytes]) -> bool:
    """Whether these are a list's footer (a line of signs, or words) and nothing that was
    encoded."""
    first = lines[0]
    return (b" " in first or not first.strip(b"_-=*~")) and not any(
        len(line) >= WRAPS_FROM and _BASE64_LINE.fullmatch(line) for line in lines
    )


# --- format=flowed (RFC 3676) ---------------------------------------------------------------------
def unflowed(lines: Sequence[str], *, delete_space: bool) -> tuple[tuple[str, ...], str]:
    """Undo space-stuffing and the mailer's wrapping; and a remark if lines were joined.

    Unlike the RFC a line is joined only where the next word would not have fitted: a program or a
    form may have short lines that end in a blank without being wrapped.
    """
    result: list[list[str]] = []  # the pieces of each line
    joined = 0
    before: tuple[int, str] | None = None  # the quote depth and text of a line that may go on
    for raw in lines:
        depth, line = _unstuffed(raw)
        if before is not None and before[0] == depth and was_wrapped(before[1], line):
            if delete_space:
                result[-1][-1] = result[-1][-1].removesuffix(" ")
            result[-1].append(line)
            joined += 1
        else:
            result.append([">" * depth + (" " if depth else "") + line])
        before = (depth, line) if line.endswith(" ") and line != SIGNATURE_MARK else None
    remark = ngettext(
        "%(num)s line that your mailer had wrapped was joined again",
        "%(num)s lines that your mailer had wrapped were joined again",
        joined,
    )
    return tuple(map("".join, result)), remark if joined else ""


def _unstuffed(line: str) -> tuple[int, str]:
    content = line.lstrip(">")
    return len(line) - len(content), content.removeprefix(" ")


def was_wrapped(line: str, following: str) -> bool:
    """Whether a mailer may have broken a long line between these two: the next word did not fit."""
    words = following.split(maxsplit=1)
    return bool(words) and following != SIGNATURE_MARK and len(line) + len(words[0]) >= WRAPS_FROM


def rejoined(lines: Lines, seen: Lines) -> tuple[Lines, str]:
    """Lines of a plain text that its mailer has wrapped, joined as its HTML twin shows them.

    Nothing is done unless both hold the same characters in the same order.
    """
    if "".join(map(_dense, lines)) != "".join(map(_dense, seen)):
        return lines, ""
    ends, gaps = _joints(seen)
    result: list[list[str]] = []  # the pieces of each line
    at = joined = 0
    for line in lines:
        # No piece is empty, so these are all of the line, or long enough.
        above = "".join(result[-1][-WRAPS_FROM:]) if result else ""
        if result and line.strip() and at not in ends and was_wrapped(above, line):
            result[-1][-1] = result[-1][-1].rstrip()
            result[-1] += [" ", line.lstrip()] if at in gaps else [line.lstrip()]
            joined += 1
        else:
            result.append([line])
        at += len(_dense(line))
    remark = ngettext(
        "%(num)s line that your mailer had wrapped was joined again as in its HTML text",
        "%(num)s lines that your mailer had wrapped were joined again as in its HTML text",
        joined,
    )
    return tuple(map("".join, result)), remark if joined else ""


def _dense(line: str) -> str:
    return "".join(line.split())


def _joints(lines: Lines) -> tuple[set[int], set[int]]:
    """After how many characters that are no blanks a line ends, and after how many there is a
    blank."""
    ends, gaps, at = set(), set(), 0
    for line in lines:
        for word in line.split():
            gaps.add(at)
            at += len(word)
        ends.add(at)
    return ends, gaps


def _unbroken(lines: Lines) -> tuple[Lines, str]:
    """Undo what sendmail does to a line that is too long for a letter: `!`, a line end, a blank."""
    result: list[list[str]] = []  # the pieces of each line
    broken: dict[int, None] = {}
    length = 0  # of the line before, as it was sent
    for line in lines:
        if length >= BROKEN_FROM and line.strip():
            broken[len(result)] = None
        if length >= BROKEN_FROM and result[-1][-1].endswith("!") and line.startswith(" "):
            result[-1][-1] = result[-1][-1].removesuffix("!")
            result[-1].append(line[1:])
        else:
            result.append([line])
        length = len(line.encode())
    return tuple(map("".join, result)), gettext(
        "a mail system may have broken %(lines_named)s, longer than a letter's lines may be",
        lines_named=lines_named(broken),
    ) if broken else ""


# --- what people do to text -----------------------------------------------------------------------
def unarmored(lines: Lines) -> tuple[Lines, str]:
    """The text of an OpenPGP message that was signed within the text (RFC 4880, 7)."""
    marks = [line.rstrip() for line in lines]
    begin = marks.index(_SIGNED) if _SIGNED in marks else len(marks)
    if _SIGNATURE not in marks[begin:]:
        return lines, ""
    end = marks.index(_SIGNATURE, begin)
    # a blank line ends its headers
    head = next((n for n in range(begin, end) if not marks[n]), begin)
    signed = (line.removeprefix("- ") for line in lines[head + 1 : end])
    return (*lines[:begin], *signed), gettext("the OpenPGP signature was left out")


def unquoted(lines: Lines) -> tuple[Lines, str]:
    """Remove `>` from a text of which every line is quoted with it, once or more often."""
    quotes = [_QUOTES.match(line) for line in lines]
    full = ((mark, line) for mark, line in zip(quotes, lines, strict=True) if line.strip())
    depth = min(
        (
            mark[0].count(">") if mark else 0
            for mark, line in full
            if mark is None or mark[0] != line
        ),
        default=0,
    )
    if not depth:
        return lines, ""
    marks = re.compile(f"^(?:> ?){{1,{depth}}}")
    return tuple(marks.sub("", line, count=1) for line in lines), gettext(
        "the quotation marks `>` were removed"
    )


def plain_blanks(lines: Lines) -> tuple[Lines, str]:
    if not any("\u00a0" in line for line in lines):
        return lines, ""
    return tuple(line.replace("\u00a0", " ") for line in lines), gettext(
        "non-breaking blanks became plain ones"
    )
