"""Answers that are a single letter."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

Letter = TypeVar("Letter", bound=StrEnum)

LONGEST_QUOTE = 20  # characters of a wrong answer that its team is shown


def letter(text: str, letters: type[Letter]) -> Letter:
    """Which of these letters the text is, white space around it aside. Raises ValueError, a sentence."""
    for each in letters:
        if text.strip() == each:
            return each
    allowed = _choice(list(letters))
    raise ValueError(f"the answer must be {allowed} and nothing else, but it was {quoted(text)}")


def quoted(text: str) -> str:
    """A wrong answer as it can stand in a sentence, cut where it is long.

    >>> quoted("C\\n\\n"), quoted("C" * 25)
    ("'C\\\\n\\\\n'", "'CCCCCCCCCCCCCCCCCCCC' and so on")
    """
    return repr(text[:LONGEST_QUOTE]) + (" and so on" if len(text) > LONGEST_QUOTE else "")


def _choice(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
