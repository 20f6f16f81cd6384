"""Answers that are a single letter."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from contest.language import gettext

Letter = TypeVar("Letter", bound=StrEnum)

MAX_QUOTE = 20  # characters of a wrong answer that its team is shown


def letter(text: str, letters: type[Letter]) -> Letter:
    """Read the text, without white space around it, as one of `letters`. Raises ValueError."""
    for each in letters:
        if text.strip() == each:
            return each
    allowed = _choice(list(letters))
    raise ValueError(
        gettext(
            "the answer must be %(allowed)s and nothing else, but it was %(answer)s",
            allowed=allowed,
            answer=quoted(text),
        )
    )


def quoted(text: str) -> str:
    """Quote a wrong answer in a sentence; shorten it if it is long.

    >>> quoted("C\\n\\n"), quoted("C" * 25)
    ("'C\\\\n\\\\n'", "'CCCCCCCCCCCCCCCCCCCC' and so on")
    """
    quote = repr(text[:MAX_QUOTE])
    return gettext("%(quote)s and so on", quote=quote) if len(text) > MAX_QUOTE else quote


def _choice(words: Sequence[str]) -> str:
    return gettext("%(names)s or %(last)s", names=", ".join(words[:-1]), last=words[-1])
