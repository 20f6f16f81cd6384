"""Singular, plural, lists and ordinals within sentences. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def form(value: int, one: str, many: str = "") -> str:
    """Singular or plural: (1, "game") -> `game`, (2, "letter waits", "letters wait") -> `letters wait`."""
    return one if value == 1 else many or f"{one}s"


def plural(value: int, one: str, many: str = "") -> str:
    """(1, "game") -> `1 game`, (3, "entry", "entries") -> `3 entries`."""
    return f"{value:,} {form(value, one, many)}"


def listed(names: Sequence[str]) -> str:
    """("a", "b", "c") -> `a, b and c`."""
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def ordinal(number: int) -> str:
    """1 -> `first`, 10 -> `tenth`, 11 -> `11th`, 21 -> `21st`."""
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    return f"{number}{'th' if number % 100 in (11, 12, 13) else _ENDINGS.get(number % 10, 'th')}"
