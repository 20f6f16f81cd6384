"""Strict parsing of program output: accept only spellings of numbers that every language produces."""

import re

from contest.language import gettext

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


def whole_number(word: str) -> int:
    """Read at most 18 digits, with or without a sign. Raises ValueError for `1.0`, `1e2` or `True`."""
    if not _WHOLE_NUMBER.fullmatch(word):
        raise ValueError(gettext("%(word)s is no whole number", word=repr(word[:20])))
    return int(word)
