"""Spreadsheet files, as small as the formats allow."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

Rows = Sequence[Sequence[str]]

_TYPES = (
    '<?xml version="1.0"?><Types'
    ' xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default'
    ' Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml"'
    ' ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    "</Types>"
)
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def xlsx(sheets: Mapping[str, Rows]) -> bytes:
    """An Excel file with these sheets. Cells of digits alone are numbers, others shared texts."""
    texts = list(dict.fromkeys(cell for rows in sheets.values() for row in rows for cell in row))
    bodies = [_sheet(rows, texts) for rows in sheets.values()]
    return raw_xlsx(list(sheets), bodies, texts)


def raw_xlsx(names: Sequence[str], bodies: Sequence[str], texts: Sequence[str] = ()) -> bytes:
    """The same with the XML of `sheetData` in each sheet."""
    numbers = range(1, len(names) + 1)
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{number}" r:id="rId{number}"/>'
        for number, name in zip(numbers, names, strict=True)
    )
    related = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/worksheet"'
        f' Target="worksheets/sheet{number}.xml"/>'
        for number in numbers
    )
    shared = "".join(f'<si><t xml:space="preserve">{escape(text)}</t></si>' for text in texts)
    files = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="rId1"'
        f' Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_RELATIONS}">{related}'
        f'<Relationship Id="rId99" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
        "</Relationships>",
        "xl/sharedStrings.xml": f'<sst xmlns="{_MAIN}">{shared}</sst>',
    }
    for number, body in zip(numbers, bodies, strict=True):
        files[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{_MAIN}"><sheetData>{body}</sheetData></worksheet>'
        )
    return _packed(files)


def _sheet(rows: Rows, texts: Sequence[str]) -> str:
    where = {text: number for number, text in enumerate(texts)}
    lines = []
    for number, row in enumerate(rows, start=1):
        cells = "".join(
            _cell(f"{chr(65 + at)}{number}", text, where) for at, text in enumerate(row)
        )
        lines.append(f'<row r="{number}">{cells}</row>')
    return "".join(lines)


def _cell(place: str, text: str, where: Mapping[str, int]) -> str:
    if not text:
        return ""
    if text.isdigit() and not text.startswith("0"):
        return f'<c r="{place}"><v>{text}</v></c>'
    return f'<c r="{place}" t="s"><v>{where[text]}</v></c>'


def ods(sheets: Mapping[str, Rows]) -> bytes:
    """A LibreOffice file with these sheets, whose cells are texts."""
    tables = (
        f'<table:table table:name="{escape(name)}">{"".join(map(_ods_row, rows))}</table:table>'
        for name, rows in sheets.items()
    )
    return raw_ods("".join(tables))


def _ods_row(row: Sequence[str]) -> str:
    cells = (
        f'<table:table-cell office:value-type="string"><text:p>{escape(cell)}</text:p>'
        "</table:table-cell>"
        for cell in row
    )
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


def raw_ods(tables: str, before: str = "") -> bytes:
    """The same with the XML of its tables, and with something before the root element."""
    office = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'<?xml version="1.0"?>{before}<office:document-content xmlns:office="{office}:office:1.0"'
        f' xmlns:table="{office}:table:1.0" xmlns:text="{office}:text:1.0"><office:body>'
        f"<office:spreadsheet>{tables}</office:spreadsheet></office:body>"
        "</office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        f'<manifest:manifest xmlns:manifest="{office}:manifest:1.0"><manifest:file-entry'
        f' manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>'
    )
    files = {"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest}
    return _packed(files)


def _packed(files: Mapping[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()
