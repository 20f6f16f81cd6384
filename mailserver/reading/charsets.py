"""Bytes -> text by the charset that a letter names, or by what the bytes themselves show. Pure."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE

from contest.language import gettext

# Python knows codecs that are no charsets (zip, punycode, unicode_escape); these are what mailers use.
_KNOWN = re.compile(
    r"utf[-_]?(8|16|32)([-_]?[lb]e)?|iso[-_]?8859[-_]?\d{1,2}|latin-?[1-9]|windows-?125\d|cp-?125\d"
    r"|windows-?874|cp437|cp850|ibm850|macintosh|mac-roman|koi8-[rut]|gb2312|gbk|gb18030|big5|shift_jis"
    r"|windows-31j|euc-(jp|kr)|ks_c_5601-1987|iso-2022-(jp|kr)",
    re.IGNORECASE,
)
_ONE_BYTE = re.compile(r"iso|latin|windows|cp|mac|koi|ibm", re.IGNORECASE)
_LATIN_1 = re.compile(r"iso[-_]?8859[-_]?1|latin-?1", re.IGNORECASE)
_ASCII = re.compile(r"(us-)?ascii|ansi_x3\.4-1968|", re.IGNORECASE)
_HYPHENLESS = re.compile(r"(windows|cp)-?(?=125|874)", re.IGNORECASE)
_WINDOWS_ONLY = re.compile(
    rb"[\x80-\x9f]"
)  # control characters in Latin-1, quotes and dashes in Windows-1252


def decode_text(data: bytes, charset: str) -> tuple[str, str]:
    """The text without a byte order mark, and a remark where the charset was not to be trusted ("" = none).

    Without a usable charset, text that is not ASCII is UTF-8 if it can be, and Latin-1 otherwise (M13, M14).
    The same goes for a charset of one byte per character: text that reads as UTF-8 nearly always is.
    """
    marked = _by_mark(data) or _by_nulls(data)
    if marked is not None:
        return marked, ""
    if _ASCII.fullmatch(charset):
        why = (
            gettext("the text is not %(charset)s", charset=charset)
            if charset
            else gettext("the text names no charset")
        )
        return (data.decode(), "") if data.isascii() else _guess(data, why)
    if not _KNOWN.fullmatch(charset):
        return _guess(data, gettext("the charset %(charset)s is unknown", charset=ascii(charset[:40])))
    if _ONE_BYTE.match(charset) and not data.isascii() and _is_utf8(data):
        return data.decode(), gettext(
            "the text is not %(charset)s, as its letter says; it was read as UTF-8", charset=charset
        )
    try:
        return data.decode(_codec(data, charset)).removeprefix("\ufeff"), ""
    except (UnicodeError, LookupError):
        return _guess(data, gettext("the text is not valid %(charset)s", charset=charset))


def _codec(data: bytes, charset: str) -> str:
    """Python's name. Mailers on Windows say Latin-1 and mean their own charset, as browsers know."""
    if _LATIN_1.fullmatch(charset) and _WINDOWS_ONLY.search(data):
        return "cp1252"
    return _HYPHENLESS.sub("cp", charset)


def _by_mark(data: bytes) -> str | None:
    """Decode text that begins with a byte order mark, which names the charset."""
    for mark, name in ((BOM_UTF8, "utf-8"), (BOM_UTF16_LE, "utf-16-le"), (BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(mark):
            try:
                return data.removeprefix(mark).decode(name)
            except UnicodeError:
                return None
    return None


def _by_nulls(data: bytes) -> str | None:
    """ASCII as UTF-16 without a mark: every second byte is zero, and no other."""
    for first, name in ((1, "utf-16-le"), (0, "utf-16-be")):
        characters, zeros = data[1 - first :: 2], data[first::2]
        if zeros and len(data) % 2 == 0 and not any(zeros) and 0 not in characters:
            return data.decode(name)
    return None


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
