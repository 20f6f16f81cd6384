"""A problem with something that a stranger sent, described for its sender. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from contest.util.sanitize import quote


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong. Lines count from 1 in the text as it was read; 0 = no particular
    line."""

    text: str
    line: int = 0
    quote: str = ""
    expected: str = ""  # the right form
    lists_reports: bool = False  # the answer explains the codes of reports below the right form

    @property
    def shown(self) -> str:
        """The quote, fit for an answer."""
        return quote(self.quote)
