"""Bytes -> text by the charset that a letter names, or by a good guess. Pure."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE

# Python knows codecs that are no charsets (zip, punycode, unicode_escape); these are what mailers use.
_KNOWN = re.compile(
    r"utf-?(8|16|32)([-_]?[lb]e)?|iso[-_]?8859[-_]?\d{1,2}|latin-?1|windows-125\d|cp125\d|cp437|cp850|macintosh"
    r"|mac-roman|koi8-[ru]|gb2312|gbk|gb18030|big5|shift_jis|euc-(jp|kr)|iso-2022-(jp|kr)",
    re.IGNORECASE,
)
_ASCII = re.compile(r"(us-)?ascii|ansi_x3\.4-1968|", re.IGNORECASE)


def decode_text(data: bytes, charset: str) -> tuple[str, str]:
    """The text without a byte order mark, and a remark where the charset was not to be trusted ("" = none).

    Without a usable charset, text that is not ASCII is UTF-8 if it can be, and Latin-1 otherwise (M13, M14).
    """
    marked = _by_mark(data)
    if marked is not None:
        return marked, ""
    if _KNOWN.fullmatch(charset):
        try:
            return data.decode(charset).removeprefix("\ufeff"), ""
        except (UnicodeError, LookupError):
            return _guess(data, f"the text is not valid {charset}")
    if _ASCII.fullmatch(charset):
        return (data.decode(), "") if data.isascii() else _guess(data, "the text names no charset")
    return _guess(data, f"the charset {charset[:40]!a} is unknown")


def _by_mark(data: bytes) -> str | None:
    """Text that begins with a byte order mark says itself what it is."""
    for mark, name in ((BOM_UTF8, "utf-8"), (BOM_UTF16_LE, "utf-16-le"), (BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(mark):
            try:
                return data.removeprefix(mark).decode(name)
            except UnicodeError:
                return None
    return None


def _guess(data: bytes, why: str) -> tuple[str, str]:
    try:
        return data.decode("utf-8"), f"{why}; it was read as UTF-8"
    except UnicodeError:
        return data.decode("latin-1"), f"{why}; it was read as Latin-1"
