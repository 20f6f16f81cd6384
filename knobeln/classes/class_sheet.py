"""The rows of a class list in the forms in which campus systems and spreadsheets save it.

Text: separated by commas, semicolons or tabs, in UTF-8, UTF-16 or Windows-1252, or addresses as
they stand in the head of a mail. Spreadsheet files: .xlsx, .xls and .ods. Which one it is we see
from the bytes, because people rename files.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from contest.errors import GiveUp
from contest.language import listed
from contest.subprocesses import child_process
from contest.util.sanitize import visible
from knobeln.classes import workbook_worker
from knobeln.classes.workbook_worker import MAX_CELLS, MAX_ROWS

MAX_BYTES = 20_000_000
_MAX_FIELD_CHARACTERS = 100_000
_LOOKED_AT = 30  # rows, of which one names the columns
_HEADINGS_OF_LIST = 2  # that we know, in a sheet that looks like a list
_WORKER_SECONDS = 120.0  # by the clock, for a busy host

_DELIMITERS = ",;\t|"
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n?")
_RULE = " -:=+"  # the signs of the line below the headings of a table in Markdown
_NAMED_ADDRESS = re.compile(r"[^<>]*<[^<>\s@]+@[^<>\s@]+>|[^<>\s@,;]+@[^<>\s@,;]+")
_ZIP, _OLD_OFFICE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PAGE = re.compile(rb"\s*<(?:!doctype|html|table|meta|head)", re.IGNORECASE)


class Row(NamedTuple):
    """A row with something in it, with the number that a spreadsheet shows beside it, from 1."""

    number: int
    cells: tuple[str, ...]


class Sheet(NamedTuple):
    """The rows of the list. `chosen`: which sheet of several they are, in sentences."""

    rows: tuple[Row, ...]
    chosen: tuple[str, ...] = ()


Score = Callable[[Sequence[str]], int]
"""How many headings in a row we know."""


def read(data: bytes, score: Score) -> Sheet:
    """The list in this file: the sheet, and the separator, with which it has most known headings.

    Raises GiveUp, with what else to do, for a file in which there is no table.
    """
    if len(data) > MAX_BYTES:
        raise GiveUp(f"the list has {len(data):,} bytes; at most {MAX_BYTES:,} are read")
    if data.startswith((_ZIP, _OLD_OFFICE)):
        return _workbook(data, score)
    if data.startswith(b"%PDF"):
        raise GiveUp("the list is a PDF file", hint="export it as CSV or .xlsx")
    if _PAGE.match(data.removeprefix(b"\xef\xbb\xbf")):
        raise GiveUp(
            "the list is a web page, whatever its name says",
            hint="open it in a spreadsheet, and save it as CSV or .xlsx",
        )
    text = _decoded(data)
    return Sheet(_addresses(text) or _text_rows(text, score))


def best_score(rows: Iterable[Sequence[str]], score: Score) -> int:
    """The most headings that one of the first rows has."""
    return max((score(cells) for cells in islice(rows, _LOOKED_AT)), default=0)


# --- text -----------------------------------------------------------------------------------------
def _decoded(data: bytes) -> str:
    """The text: its mark tells the encoding, or the zeros of UTF-16 do, or it is no UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    even, odd = data[0:2_000:2], data[1:2_000:2]
    for encoding, zeros in (("utf-16-le", odd), ("utf-16-be", even)):
        if zeros.count(0) * 2 > len(zeros):
            return data.decode(encoding, errors="replace")
    try:
        return _decoded_again(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return _of_windows(data)


def _decoded_again(text: str) -> str:
    """The text as it was before a program took its UTF-8 for Windows-1252: `NÃ¶ther` is `Nöther`.

    Other texts with letters such as ö cannot be decoded twice.
    """
    try:
        return text.encode("cp1252").decode()
    except UnicodeError:
        return text


def _of_windows(data: bytes) -> str:
    """The text in Windows-1252. Letters of DOS and of an old Macintosh are where it has signs."""
    letters = sum(data.count(code) for code in range(0xC0, 0x100))
    signs = sum(data.count(code) for code in range(0x80, 0xA0))
    if signs > letters:
        raise GiveUp(
            "the list is in an encoding that nobody can know, of DOS or of an old Macintosh",
            hint="save it in UTF-8",
        )
    return data.decode("cp1252", errors="replace")


def _addresses(text: str) -> tuple[Row, ...]:
    """A row for each address of a text that is the head of a mail: `Ada <ada@uni.example>; bob@...`

    () if it is anything else, or a list with one address in a line, which is read as a table.
    """
    separator = ";" if ";" in text else ","
    rows: list[Row] = []
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        last_name = ""  # its comma separates no addresses: Lovelace, Ada <ada@uni.example>
        for piece in filter(None, map(str.strip, line.split(separator))):
            if "@" not in piece and not last_name:
                last_name = f"{piece}, "
                continue
            entry = last_name + piece
            if not _NAMED_ADDRESS.fullmatch(entry):
                return ()
            rows.append(Row(number, (entry,)))
            last_name = ""
        if last_name or len(rows) > MAX_ROWS:
            return ()
    return tuple(rows) if len(rows) > len({row.number for row in rows}) else ()


def _text_rows(text: str, score: Score) -> tuple[Row, ...]:
    first = _SEPARATOR_LINE.match(text)
    body = text[first.end() :] if first else text
    delimiter = first[1] if first else _delimiter(body, score)
    rows: list[Row] = []
    room = MAX_CELLS
    try:
        for number, cells in enumerate(_records(body, delimiter, strict=True), start=1):
            if any(cell.strip(_RULE) for cell in cells):
                rows.append(Row(number + bool(first), tuple(cells)))
                room -= len(cells)
            if room < 0 or len(rows) > MAX_ROWS:
                raise _too_large()
    except csv.Error as error:
        raise GiveUp(f"the list is not CSV: {error}, in row {len(rows) + 1} or below") from None
    return tuple(rows)


def _delimiter(text: str, score: Score) -> str:
    """The separator with which a row has most known headings, or most cells."""

    def fits(delimiter: str) -> tuple[int, int]:
        rows: list[list[str]] = []
        try:
            rows.extend(islice(_records(text, delimiter, strict=False), _LOOKED_AT))
        except csv.Error:
            return 0, 0
        return best_score(rows, score), sum(map(len, rows))

    return max(_DELIMITERS, key=fits)


def _records(text: str, delimiter: str, *, strict: bool) -> Iterable[list[str]]:
    csv.field_size_limit(_MAX_FIELD_CHARACTERS)
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)


def _too_large() -> GiveUp:
    return GiveUp(
        f"the list has more than {MAX_ROWS:,} rows or {MAX_CELLS:,} cells, which are not read",
        hint="leave out columns and rows that nobody needs",
    )


def _rows(numbered: Iterable[tuple[int, Sequence[str]]]) -> tuple[Row, ...]:
    return tuple(Row(number, tuple(cells)) for number, cells in numbered)


# --- spreadsheets ---------------------------------------------------------------------------------
def _workbook(data: bytes, score: Score) -> Sheet:
    if importlib.util.find_spec("python_calamine") is None:
        raise GiveUp(
            "the list is a spreadsheet file, and the library that reads those is not installed",
            hint="install python-calamine (`pip install knobeln[class]`), or save the list as CSV",
        )
    command = [sys.executable, "-P", "-m", workbook_worker.__name__]
    done = child_process.run(command, data, _WORKER_SECONDS)
    if done.code == workbook_worker.TOO_LARGE:
        raise _too_large()
    if done.code != 0:
        raise GiveUp(
            "the list looks like a spreadsheet file, but cannot be read: it is damaged, is locked"
            " by a password, or takes too much time or memory",
            hint="open it, and save it as CSV",
        )
    sheets = [(visible(name), _rows(rows)) for name, rows in json.loads(done.stdout)]
    if not sheets:
        raise GiveUp("the file has no sheet")
    scores = []
    for _, rows in sheets:
        cells = (row.cells for row in rows)
        scores.append(best_score(cells, score))
    best = scores.index(max(scores))
    best_name, best_rows = sheets[best]
    others = [
        f"`{name}`"
        for index, (name, _) in enumerate(sheets)
        if index != best and scores[index] >= _HEADINGS_OF_LIST
    ]
    chosen = [f"from the sheet `{best_name}`"] if len(sheets) > 1 else []
    if others:
        chosen.append(f"not read, though they look like lists, too: {listed(others)}")
    return Sheet(best_rows, tuple(chosen))
