"""Plain text in at most 72 columns: cleaning, wrapping, tables. Pure functions; the templates'
filters.

Widths are terminal columns: the wide characters of East Asia take two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from unicodedata import east_asian_width

from contest.language import SOURCE, decimal, gettext, ngettext, noted, number, spoken
from contest.model import points_text
from contest.schema.sections import UNITS_PER_SECOND
from contest.util.sanitize import sanitize

WIDTH = 72

_BLANK_LINES = re.compile(r"\n{3,}")
_ROW = re.compile(r"\S {2,}\S")
_LEAD = re.compile(r" *(- )?")
_NO_BLANK = re.compile(r"[^ ]|\Z")
_SIGNATURE_MARK = "-- "
_DEEPEST_INDENT = 24
_UNBROKEN = "\ue000"  # a private character: before a line that stays as long as it is


def clean(text: str) -> str:
    """The text with plain newlines, tabs expanded, and a `?` for each character that cannot be
    printed."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\t" in text:
        text = "\n".join(line.expandtabs() for line in text.split("\n"))
    return sanitize(text, replacement="?")  # in a quoted line it matters that there was something


def plural(value: int, one: str, many: str = "") -> str:
    """(1, "game") -> `1 game`, (3, "entry", "entries") -> `3 entries`; for templates without a
    catalogue."""
    return ngettext(f"%(num)s {one}", f"%(num)s {many or one + 's'}", value)


def ordinal(value: int) -> str:
    """20 -> `20th`."""
    last = 0 if value % 100 // 10 == 1 or value % 10 > 3 else value % 10
    endings = noted("%(num)sth"), noted("%(num)sst"), noted("%(num)snd"), noted("%(num)srd")
    return gettext(endings[last], num=value)


def one_line(text: str) -> str:
    """The text in one line, for instance for a subject: white space folded."""
    return " ".join(clean(text).split())


def columns_of(text: str) -> int:
    """How many columns the text takes."""
    return len(text) if text.isascii() else sum(map(_columns_of_character, text))


def _columns_of_character(character: str) -> int:
    return 2 if east_asian_width(character) in "WF" else 1


def _fitting(text: str, room: int) -> int:
    """How many characters of the text fit into `room` columns, at least one."""
    if text.isascii():
        return max(1, room)
    used = 0
    for index, character in enumerate(text):
        used += _columns_of_character(character)
        if used > room:
            return max(1, index)
    return len(text)


# --- wrapping -------------------------------------------------------------------------------------
@lru_cache(maxsize=1024, typed=True)  # many mails have the same paragraphs
def wrap(text: object, width: int = WIDTH, indent: str = "", first: str | None = None) -> str:
    """The text filled into lines of at most `width` columns; blank lines separate paragraphs.

    Every line starts with `indent`, but the first one with `first` if that is given:
    `wrap(indent="  ", first="- ")` makes an item of a list, `wrap(indent="  ", first="")` a hanging
    indent. Words that are too long for a line are broken.
    """
    paragraphs = [p.split() for p in re.split(r"\n[ \t]*\n", clean(str(text)).strip())]
    starts = [indent if first is None else first] + [indent] * len(paragraphs)
    return "\n\n".join(
        "\n".join(_filled(words, width, start, indent))
        for words, start in zip(paragraphs, starts, strict=False)
    )


def _filled(words: Sequence[str], width: int, start: str, indent: str) -> Iterator[str]:
    line, used = start, columns_of(start)
    room = width - max(used, columns_of(indent))
    is_empty = True
    for word in words:
        for piece in _pieces(word, room):
            needed = columns_of(piece)
            if not is_empty and used + 1 + needed > width:
                yield line.rstrip()
                line, used, is_empty = indent, columns_of(indent), True
            line += piece if is_empty else " " + piece
            used += needed if is_empty else needed + 1
            is_empty = False
    yield line.rstrip()


def _pieces(word: str, room: int) -> Iterator[str]:
    """The word in pieces of at most `room` columns, but of one character at least."""
    if columns_of(word) <= max(1, room):
        yield word
        return
    start = used = 0
    for index, character in enumerate(word):
        needed = _columns_of_character(character)
        if used + needed > room and index > start:
            yield word[start:index]
            start, used = index, 0
        used += needed
    yield word[start:]


def fold(text: object, width: int = WIDTH, indent: str = "") -> str:
    """The text with its own line breaks and spacing; only lines over `width` columns are broken.

    Every line starts with `indent`. The rest of a broken line is indented by two more columns.
    """
    lines = [indent + line if line else "" for line in clean(str(text)).split("\n")]
    return "\n".join([part for line in lines for part in _folded(line, width)])


def _folded(line: str, width: int) -> list[str]:
    if columns_of(line) <= width:
        return [line if line == _SIGNATURE_MARK else line.rstrip()]
    return [*_broken(line, width)]


def _broken(line: str, width: int) -> Iterator[str]:
    depth = min(len(line) - len(line.lstrip(" ")), _DEEPEST_INDENT) + 2
    indent, start = "", 0
    # Each character takes a column at least, so what is behind the beginning decides nothing.
    while columns_of(begin := indent + line[start : start + width + 1]) > width:
        cut = _fitting(begin, width)
        blank = begin.rfind(" ", depth, cut + 1)
        cut = blank if blank > 0 and begin[:blank].strip() else cut
        yield begin[:cut].rstrip()
        # or the end
        start = _NO_BLANK.search(line, start + cut - len(indent)).start()  # type: ignore[union-attr]
        indent = " " * depth
    yield begin.rstrip()


def copied(text: object, indent: str = "") -> str:
    """Text that people send back as it is, such as a form: `plain` breaks none of its lines."""
    return "\n".join(f"{_UNBROKEN}{indent}{line}" for line in clean(str(text)).split("\n"))


def fill(text: object, width: int = WIDTH) -> str:
    """Prose with its own line breaks; only lines over `width` columns are wrapped, without an
    indent."""
    lines = clean(str(text)).split("\n")
    return "\n".join(
        wrap(line, width) if columns_of(line) > width else line.rstrip() for line in lines
    )


def fill_indented(text: str) -> str:
    """As `fill`, but the rest of a line begins below its own first word, or below that of an item
    (`- `).

    Rows of a table, with several blanks between words, stay as they are.
    """
    return "\n".join(_filled_below(line) for line in text.split("\n"))


def _filled_below(line: str) -> str:
    if columns_of(line) <= WIDTH or _ROW.search(line):
        return line
    lead = _LEAD.match(line)
    first = lead.group() if lead else ""
    return wrap(line[len(first) :], WIDTH, " " * len(first), first)


def plain(text: str) -> str:
    """The text as it is mailed: folded but for `copied` lines, no blank lines at its ends, nowhere
    two in a row."""
    if _UNBROKEN not in text:
        return _BLANK_LINES.sub("\n\n", fold(text).strip("\n")) + "\n"
    lines = (
        clean(line.removeprefix(_UNBROKEN)).rstrip() if line.startswith(_UNBROKEN) else fold(line)
        for line in text.split("\n")
    )
    return _BLANK_LINES.sub("\n\n", "\n".join(lines).strip("\n")) + "\n"


def tail(text: object, lines: int = 10) -> str:
    """The last lines of the text, at most 72 characters for each; `...` marks what was cut off."""
    complete = clean(str(text)).strip("\n")
    end = "\n".join(complete.split("\n")[-lines:])[-lines * WIDTH :]
    return end if end == complete else "...\n" + end


# --- tables ---------------------------------------------------------------------------------------
def columns(items: Iterable[object], width: int = WIDTH, indent: str = "", gap: int = 2) -> str:
    """Short texts in as many columns as fit, read downwards."""
    texts = [clean(str(item)).replace("\n", " ").rstrip() for item in items]
    widest = max(map(columns_of, texts), default=0)
    height = -(-len(texts) // max(1, (width - len(indent) + gap) // (widest + gap)))
    rows = (
        (" " * gap).join(_padded(text, widest, "l") for text in texts[index::height])
        for index in range(height)
    )
    return "\n".join((indent + row).rstrip() for row in rows)


def table(rows: Iterable[Sequence[object]], align: str, indent: str = "", gap: int = 2) -> str:
    """Rows of equal length in aligned columns; `align` has a letter per column, l(eft) or r(ight).

    The last column is not padded, and a row that is too long is folded later (`fold`).
    """
    cells = [[one_line(str(cell)) for cell in row] for row in rows]
    widths = [max(map(columns_of, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        in_columns = zip(row, widths, align, strict=True)
        padded = [_padded(text, width, side) for text, width, side in in_columns]
        lines.append((indent + (" " * gap).join(padded)).rstrip())
    return "\n".join(lines)


def _padded(text: str, width: int, side: str) -> str:
    blanks = " " * (width - columns_of(text))
    return blanks + text if side == "r" else text + blanks


# --- values ---------------------------------------------------------------------------------------
def points(half_points: int, point: int = 1) -> str:
    """Half points as people read them (contest.model.points_text)."""
    return decimal(points_text(half_points, point))


def grouped_points(half_points: int, point: int = 1) -> str:
    """The same with the thousands apart, as pages have them: 24690 -> `12,345`."""
    return decimal(_with_thousands(half_points, point))


@lru_cache(maxsize=4096)
def _with_thousands(half_points: int, point: int) -> str:
    return f"{Decimal(points_text(half_points, point)):,}"


def percent(value: tuple[int, int] | Fraction | float) -> str:
    """A fraction of one, exact (numerator and denominator) or not -> `12.5 %`."""
    share = Fraction(*value) if isinstance(value, tuple) else Fraction(value)
    tenths = (share * 1000 + Fraction(1, 2)) // 1
    return decimal(f"{tenths // 10}.{tenths % 10} %")


def fuel_share(units: int, limit: int) -> str:
    """Units of fuel beside their limit: `12.0 % (1,200,000,000 of 10,000,000,000 units)`."""
    return gettext(
        "%(share)s (%(units)s of %(limit)s units)",
        share=percent((units, limit)),
        units=number(units),
        limit=number(limit),
    )


def about_seconds(units: int) -> str:
    """Units of fuel in words: `about a second of Python on a usual computer`."""
    if units == UNITS_PER_SECOND:
        return gettext("about a second of Python on a usual computer")
    digits = f"{Decimal(f'{units / UNITS_PER_SECOND:.2g}'):,f}"
    return gettext(
        "about %(seconds)s seconds of Python on a usual computer", seconds=decimal(digits)
    )


def kilobytes(value: int) -> str:
    """Bytes -> kB of 1024, rounded up: 2049 -> `3 kB`."""
    return f"{number(-(-value // 1024))} kB"


def megabytes(value: int) -> str:
    """Bytes -> MB of 1024 kB, rounded up: 3000000 -> `3 MB`."""
    return f"{number(-(-value // (1024 * 1024)))} MB"


_KINDS = {
    "challenge",
    "championship",
    "championships",
    "competition",
    "contest",
    "cup",
    "games",
    "hackathon",
}
_KINDS |= {"league", "match", "olympiad", "standoff", "tournament", "trophy"}


def with_article(title: str) -> str:
    """A contest's title within a sentence: `the KNOBELN contest`, `our first contest`,
    `KNOBELN 94`."""
    words = re.findall(r"[^\W\d_]+", title.casefold())
    if words and words[0] in {"the", "our", "my", "your", "a", "an"}:
        return title[0].lower() + title[1:]
    is_owned = re.match(r"\S+['\N{RIGHT SINGLE QUOTATION MARK}]s ", title)
    return title if is_owned or _KINDS.isdisjoint(words) else f"the {title}"


class TitleInSentence:
    """A contest's title for the middle of a sentence, as the language of the moment has it."""

    def __init__(self, title: str) -> None:
        self._title, self._with_article = title, with_article(title)

    def __str__(self) -> str:
        # Other languages decline articles, so they quote the title.
        return (
            self._with_article if spoken() == SOURCE else gettext('"%(title)s"', title=self._title)
        )


def opening(text: object) -> str:
    """The text with a capital letter, for the beginning of a sentence."""
    words = str(text)
    return words[:1].upper() + words[1:]
