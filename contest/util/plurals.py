"""Singular, plural and lists within sentences. Pure."""

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
