"""What senders write into letters and files: the `<<FROM>>` line, which says whose a program is,
the ends of lines, and names. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from contest.language import gettext, listed, ngettext
from contest.util.sanitize import ZERO_WIDTH, without_zero_width

FROM_MARK = "<<FROM>>"
FROM_LINE = f"{FROM_MARK} team_name authentification_string"

_COMMENT_MARKS = ("/*", "*/")
_ENCODED_BLANK = re.compile(r"=(?:20|09)(?=\s|$)")  # left over from quoted-printable
# Invisible characters also as a file in UTF-8 looks that was read as Latin-1.
_UNSEEN = (
    rf"(?:{ZERO_WIDTH}|\xc2\xad|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf)"
)
_SEEN = rf"(?!{_UNSEEN}|\xc2\xa0|\*/)\S"
_WORD = rf"{_SEEN}(?>(?:{_UNSEEN}*{_SEEN})*)"
_GAP = rf"(?>(?:[^\S\n]|\xc2\xa0|{_UNSEEN})*)"
_MARK = rf"(?>{_UNSEEN}*)".join(FROM_MARK)
# Nothing that a part has taken can be the beginning of the next one, so no part gives anything
# back: `(?>...)`.
_SECRET = re.compile(
    rf"(^(?>(?:[ \t\f\v\r/*#]|{_UNSEEN})*){_MARK}{_GAP}{_WORD}{_GAP})({_WORD})(?={_GAP}(?:$|\*/))",
    re.IGNORECASE | re.MULTILINE,
)


def plain(line: str) -> str:
    """Return the line without invisible characters, and with blanks for those that are still
    encoded (`=20`)."""
    return _ENCODED_BLANK.sub(" ", without_zero_width(line))


def is_marked(line: str) -> bool:
    """Return whether the mark is anywhere in the line."""
    return "<" in line and FROM_MARK in plain(line)


def begins_with_mark(line: str) -> bool:
    """Return whether the line is a `<<FROM>>` line, right or wrong: nothing but a comment's signs
    are before it."""
    return is_marked(line) and plain(line).lstrip(" \t\f\v\r/*#").startswith(FROM_MARK)


def words_after_mark(line: str) -> tuple[str, ...]:
    """Return the words between the mark and the end of the comment; a correct line has two."""
    return tuple(plain(line).partition(FROM_MARK)[2].partition("*/")[0].split())


def has_from_line(lines: Sequence[str]) -> bool:
    return any(map(is_marked, lines))


def from_lines(lines: Sequence[str]) -> frozenset[tuple[str, ...]]:
    """Return the words after each mark; the same line twice is one."""
    return frozenset(words_after_mark(line) for line in lines if is_marked(line))


def without_from_line(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lines without a mark, without a comment's signs around it, and without blank lines
    at both ends."""
    public: list[str] = []
    ends_comment = -1  # the number of the line that ends a comment of which nothing is left
    for number, line in enumerate(lines):
        if number == ends_comment:
            continue
        if not is_marked(line):
            public.append(line)
            continue
        around = (*public[-1:], *lines[number + 1 : number + 2])
        if tuple(map(str.strip, around)) == _COMMENT_MARKS:
            public.pop()
            ends_comment = number + 1
    full = [n for n, line in enumerate(public) if line.strip()]
    return tuple(public[full[0] : full[-1] + 1]) if full else ()


def strip_secret(source: str) -> str:
    """Blank the authentification string of each `<<FROM>>` line, and nothing else (K42); columns
    stay."""
    return _SECRET.sub(lambda match: match[1] + " " * len(match[2]), source)


def without_secret(data: bytes) -> bytes:
    """Return the file with the authentification string of its `<<FROM>>` line blanked (K42); its
    size stays."""
    return strip_secret(data.decode("latin-1")).encode("latin-1")


# --- line ends and names --------------------------------------------------------------------------
_LINE_END = re.compile(r"\r\n|\r|\n")


def with_newlines(text: str) -> tuple[str, str]:
    """Return the text with newlines as line ends, and a remark where a carriage return (CR) stood
    alone.

    Compilers and most editors read it as a line end, too, but not all mailers and viewers do: so it
    may end a `//` comment where its writer does not see that.
    """
    alone = [number for number, end in enumerate(_LINE_END.findall(text), 1) if end == "\r"]
    if not alone:
        return text.replace("\r\n", "\n"), ""
    return _LINE_END.sub("\n", text), gettext(
        "a carriage return (CR) without a line feed was read as a line end in %(lines_named)s",
        lines_named=lines_named(alone),
    )


def lines_named(numbers: Iterable[int], most: int = 10) -> str:
    """`line 3`, `lines 3, 14 and 31`."""
    words = [str(number) for number in numbers]
    if len(words) > most:
        words = [*words[:most], gettext("%(number)s more", number=len(words) - most)]
    return ngettext("line %(lines)s", "lines %(lines)s", len(words), lines=listed(words))


def right_name() -> str:
    """Says which names `file_names.is_safe` takes."""
    return gettext(
        "a name consists of at most 64 letters (A-Z, a-z), digits, dots, hyphens and underscores,"
        " and starts with a letter, a digit or an underscore, e.g. program_3.py"
    )
