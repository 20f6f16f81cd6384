"""Reads a spreadsheet file from standard input, and writes its sheets to standard output, as JSON.

It is a process of its own: a file of some kilobytes may name a cell for each atom of the earth, and
the library makes room for all of them. So the kernel ends this process at a limit, and no other.
"""

from __future__ import annotations

import datetime
import json
import resource
import sys
import zipfile
from io import BytesIO
from typing import Any

MAX_SECONDS = 20  # of processor time
MAX_MEMORY_BYTES = 1_500_000_000
MAX_CELLS = 2_000_000
MAX_ROWS = 50_000
MAX_UNPACKED_BYTES = 100_000_000
MAX_CELL_CHARACTERS = 2_000
TOO_LARGE = 3
"""The exit code for a file with more in it than we read."""


def sheets(data: bytes) -> list[tuple[str, list[tuple[int, list[str]]]]]:
    """The name of each sheet, and its rows with their numbers; empty rows are left out.

    A formula is what it was when the file was saved: nothing is computed.
    """
    from python_calamine import load_workbook

    if _unpacked_bytes(data) > MAX_UNPACKED_BYTES:
        sys.exit(TOO_LARGE)
    workbook = load_workbook(BytesIO(data))
    named_rows = []
    room = MAX_CELLS
    for name in workbook.sheet_names:
        sheet = workbook.get_sheet_by_name(name)
        rows = []
        for number, row in enumerate(sheet.iter_rows(), start=1):
            cells = [_text(cell) for cell in row]
            if any(cells):
                rows.append((number, cells))
                room -= len(cells)
            if room < 0 or len(rows) > MAX_ROWS:
                sys.exit(TOO_LARGE)
        named_rows.append((name, rows))
    return named_rows


def _unpacked_bytes(data: bytes) -> int:
    """How large the file says that it is when it is unpacked; that of a liar ends at our limits."""
    if not zipfile.is_zipfile(BytesIO(data)):
        return 0
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return sum(file.file_size for file in archive.infolist())


def _text(cell: Any) -> str:
    """The cell as people see it: a number of matriculation has no `.0` behind it."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, (datetime.date, datetime.time)):
        return cell.isoformat()
    return str(cell)[:MAX_CELL_CHARACTERS]


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    json.dump(sheets(sys.stdin.buffer.read()), sys.stdout)


if __name__ == "__main__":
    main()
