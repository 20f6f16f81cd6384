"""A part of a letter -> its lines as the sender saw them: transfer encoding, charset, wrapping. Pure."""

from __future__ import annotations

import binascii
import quopri
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mailserver.charsets import decode_text
from mailserver.mime import Part

SIGNATURE_MARK = "-- "
# A mailer wraps a line because its next word did not fit; a shorter line that ends in a blank was meant so.
WRAPS_FROM = 60


@dataclass(frozen=True)
class Text:
    """Lines without line ends. `repairs` says what had to be mended, in sentences without a full stop."""

    lines: tuple[str, ...]
    repairs: tuple[str, ...] = ()
    problem: str = ""  # why the text cannot be read; there are no lines then
    name: str = ""  # the file's name, where it is an attachment

    @property
    def is_blank(self) -> bool:
        return not any(line.strip() for line in self.lines)


def decode(part: Part) -> Text:
    """The text of a leaf."""
    name = part.headers.file_name
    data, problem = _transferred(part)
    if problem:
        return Text((), problem=problem, name=name)
    text, remark = decode_text(data, part.headers.parameter("charset").strip())
    if "\0" in text:
        return Text((), problem="there are NUL characters in its text", name=name)
    lines = tuple(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    repairs = [remark] if remark else []
    for mend in _menders(part):
        lines, repair = mend(lines)
        repairs += [repair] if repair else []
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return Text(lines, tuple(repairs), name=name)


def file_bytes(part: Part) -> tuple[bytes, str]:
    """The bytes of an attached file as its sender meant them, or a problem.

    Line ends became newlines when the letter was split, but not below base64 and not where quoted-printable
    writes them out. What `format=flowed` did to a file is undone.
    """
    data, problem = _transferred(part)
    if problem or not _is_flowed(part):
        return data, problem
    lines, _ = unflowed(data.decode("latin-1").split("\n"), delete_space=_deletes_space(part))
    return "\n".join(lines).encode("latin-1"), ""


Mender = Callable[[tuple[str, ...]], tuple[tuple[str, ...], str]]


def _menders(part: Part) -> Iterable[Mender]:
    if _is_flowed(part):
        yield lambda lines: unflowed(lines, delete_space=_deletes_space(part))
    yield unquoted
    yield plain_blanks


def _is_flowed(part: Part) -> bool:
    return part.headers.parameter("format").lower() == "flowed"


def _deletes_space(part: Part) -> bool:
    return part.headers.parameter("delsp").lower() == "yes"


def _transferred(part: Part) -> tuple[bytes, str]:
    """The bytes behind the transfer encoding, or a problem."""
    encoding = part.headers.first("Content-Transfer-Encoding").strip().lower()
    match encoding:
        case "" | "7bit" | "8bit" | "binary":
            return part.body, ""
        case "quoted-printable":
            return quopri.decodestring(part.body), ""
        case "base64":
            return _base64(part.body)
        case _:
            return b"", f"its transfer encoding {encoding[:40]!a} is unknown"


def _base64(body: bytes) -> tuple[bytes, str]:
    packed = b"".join(body.split())
    try:
        return binascii.a2b_base64(packed + b"=" * (-len(packed) % 4), strict_mode=True), ""
    except binascii.Error as error:
        return b"", f"its base64 encoding is damaged ({error})"


# --- format=flowed (RFC 3676) -----------------------------------------------------------------------------
def unflowed(lines: Sequence[str], *, delete_space: bool) -> tuple[tuple[str, ...], str]:
    """Undo space-stuffing and the mailer's wrapping; and a remark if lines were joined.

    Unlike the RFC a line is joined only where the next word would not have fitted: a program or a form may
    have short lines that end in a blank, and they are no wrapped ones.
    """
    result: list[str] = []
    joined = 0
    before: tuple[int, str] | None = None  # the quote depth and text of a line that may go on
    for raw in lines:
        depth, line = _unstuffed(raw)
        if before is not None and before[0] == depth and was_wrapped(before[1], line):
            result[-1] = (result[-1][:-1] if delete_space else result[-1]) + line
            joined += 1
        else:
            result.append(">" * depth + (" " if depth else "") + line)
        before = (depth, line) if line.endswith(" ") and line != SIGNATURE_MARK else None
    remark = f"{joined} line(s) that your mailer had wrapped were joined again" if joined else ""
    return tuple(result), remark


def _unstuffed(line: str) -> tuple[int, str]:
    content = line.lstrip(">")
    return len(line) - len(content), content.removeprefix(" ")


def was_wrapped(line: str, following: str) -> bool:
    """Whether a mailer may have broken a long line between these two: the next word did not fit."""
    words = following.split(maxsplit=1)
    return bool(words) and following != SIGNATURE_MARK and len(line) + len(words[0]) >= WRAPS_FROM


# --- what people do to text -------------------------------------------------------------------------------
def unquoted(lines: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """A text of which every line is quoted with `>` is meant without."""
    if not any(lines) or any(line.strip() and not line.startswith(">") for line in lines):
        return tuple(lines), ""
    return tuple(re.sub("^> ?", "", line) for line in lines), "the quotation marks `>` were removed"


def plain_blanks(lines: Sequence[str]) -> tuple[tuple[str, ...], str]:
    if not any("\u00a0" in line for line in lines):
        return tuple(lines), ""
    return tuple(line.replace("\u00a0", " ") for line in lines), "non-breaking blanks became plain ones"


def without_signature(lines: Sequence[str], marks: Sequence[str] = (SIGNATURE_MARK,)) -> tuple[str, ...]:
    """The lines before the signature mark, all lines where there is none."""
    cut = next((number for number, line in enumerate(lines) if line in marks), len(lines))
    return tuple(lines[:cut])
