"""Make foreign text safe to show in a mail, on a page or in a terminal."""

from __future__ import annotations

import re
import unicodedata

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})  # categories of Unicode
# Characters without a width, as a class of a regular expression: mailers and web pages add them
# unseen.
ZERO_WIDTH = "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
_ZERO_WIDTH = re.compile(ZERO_WIDTH)
_NOT_PLAIN = re.compile(r"[^ -~\n\t]")  # the characters that need a closer look
_MAX_QUOTE_CHARACTERS = 60
_MAX_READ_CHARACTERS = 2_000  # of a line that is quoted


def is_invisible(character: str) -> bool:
    """Control, zero-width and private characters, marks of writing direction, line separators."""
    return unicodedata.category(character) in _INVISIBLE


def without_zero_width(text: str) -> str:
    """Return the text without characters that have no width."""
    return text if text.isascii() else _ZERO_WIDTH.sub("", text)


def sanitize(
    text: str, *, max_length: int | None = None, one_line: bool = False, replacement: str = ""
) -> str:
    """Return the text with `replacement` for each invisible character but newlines and tabs.

    So it moves no cursor, does not turn the direction of writing, and can be encoded. `one_line`:
    each run of white space becomes one blank. `max_length`: in characters; longer text ends with
    "...".
    """
    clean = _NOT_PLAIN.sub(lambda match: replacement if is_invisible(match[0]) else match[0], text)
    if one_line:
        clean = " ".join(clean.split())
    if max_length is not None and len(clean) > max_length:
        return clean[: max_length - 3] + "..."
    return clean


def visible(text: str) -> str:
    """Return the text in one line, blanks folded, without invisible characters (M41)."""
    return sanitize(text, one_line=True, replacement=" ")


def quote(text: str) -> str:
    """Return a stranger's line for an answer: visible and shortened."""
    return sanitize(
        text[:_MAX_READ_CHARACTERS],
        one_line=True,
        replacement=" ",
        max_length=_MAX_QUOTE_CHARACTERS,
    )
