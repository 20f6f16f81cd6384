"""A problem with something that a stranger sent, described for its sender. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from contest.util.sanitize import is_invisible, sanitize

_MAX_QUOTE_CHARACTERS = 60


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


def has_invisible(text: str) -> bool:
    return any(map(is_invisible, text))


def visible(text: str) -> str:
    """The text in one line, blanks folded, without invisible characters (M41)."""
    return sanitize(text, one_line=True, replacement=" ")


def quote(text: str) -> str:
    """A stranger's line for an answer: visible and shortened."""
    return sanitize(text, one_line=True, replacement=" ", max_length=_MAX_QUOTE_CHARACTERS)
