"""What is wrong with something that a stranger sent, in words for the stranger. Pure."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
_LONGEST_QUOTE = 60


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong. Lines count from 1 in the text as it was read; 0 = no particular line."""

    text: str
    line: int = 0
    quote: str = ""
    expected: str = ""  # the right form
    lists_reports: bool = False  # the answer explains the codes of reports below the right form

    @property
    def shown(self) -> str:
        """The quote, fit for an answer."""
        return quote(self.quote)


def is_invisible(character: str) -> bool:
    """Control characters, marks of writing direction, zero-width and private ones, line separators."""
    return unicodedata.category(character) in _INVISIBLE


def has_invisible(text: str) -> bool:
    return any(map(is_invisible, text))


def visible(text: str) -> str:
    """The text in one line, blanks folded, without invisible characters (M41)."""
    return " ".join("".join(" " if is_invisible(c) else c for c in text).split())


def quote(text: str) -> str:
    """A stranger's line for an answer: visible and shortened."""
    line = visible(text)
    return line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 3] + "..."
