"""Words of games: what programs answer, read strictly, and a sentence about a result."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from contest.language import gettext, ngettext, number

Letter = TypeVar("Letter", bound=StrEnum)

MAX_QUOTE = 20  # characters of a wrong answer that its team is shown
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


def whole_number(word: str) -> int:
    """Read at most 18 digits, with or without a sign. Raises ValueError for `1.0`, `1e2` or
    `True`."""
    if not _WHOLE_NUMBER.fullmatch(word):
        raise ValueError(gettext("%(word)s is no whole number", word=repr(word[:20])))
    return int(word)


def letter(text: str, letters: type[Letter]) -> Letter:
    """Read the text, without white space around it, as one of `letters`. Raises ValueError."""
    for option in letters:
        if text.strip() == option:
            return option
    *first, last = letters
    allowed = gettext("%(names)s or %(last)s", names=", ".join(first), last=last)
    sentence = gettext(
        "the answer must be %(allowed)s and nothing else, but it was %(answer)s",
        allowed=allowed,
        answer=quoted(text),
    )
    raise ValueError(sentence)


def quoted(text: str) -> str:
    """Quote a wrong answer in a sentence; shorten it if it is long.

    >>> quoted("C\\n\\n"), quoted("C" * 25)
    ("'C\\\\n\\\\n'", "'CCCCCCCCCCCCCCCCCCCC' and so on")
    """
    quote = repr(text[:MAX_QUOTE])
    return gettext("%(quote)s and so on", quote=quote) if len(text) > MAX_QUOTE else quote


def who_won(names: Sequence[str], points: Sequence[int]) -> str:
    """Say who won a game of two by points, in the end of a sentence.

    >>> who_won(["a", "b"], [12, 8]), who_won(["a", "b"], [3, 3])
    ('a won by 12 points to 8', 'nobody won, at 3 points each')
    """
    first, second = points
    if first == second:
        return ngettext(
            "nobody won, at %(num)s point each", "nobody won, at %(num)s points each", first
        )
    return ngettext(
        "%(winner)s won by %(num)s point to %(least)s",
        "%(winner)s won by %(num)s points to %(least)s",
        max(first, second),
        winner=names[0] if first > second else names[1],
        least=number(min(first, second)),
    )
