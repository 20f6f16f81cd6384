"""Strict parsing of program output: accept only spellings of numbers that every language produces."""

import re

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


def whole_number(word: str) -> int:
    """Read at most 18 digits, with or without a sign. Raises ValueError for `1.0`, `1e2` or `True`."""
    if not _WHOLE_NUMBER.fullmatch(word):
        raise ValueError(f"{word[:20]!r} is no whole number")
    return int(word)
