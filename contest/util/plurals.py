"""Singular and plural within sentences, and the word that somebody probably meant. Pure."""

from __future__ import annotations

from collections.abc import Iterable


def form(value: int, one: str, many: str = "") -> str:
    """Singular or plural: (1, "game") -> `game`, (2, "letter waits", "letters wait") ->
    `letters wait`."""
    return one if value == 1 else many or f"{one}s"


def plural(value: int, one: str, many: str = "") -> str:
    """(1, "game") -> `1 game`, (3, "entry", "entries") -> `3 entries`."""
    return f"{value:,} {form(value, one, many)}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "did you mean X?" with the known word that is nearest, or "" if none is near."""
    from difflib import get_close_matches  # seldom needed, and every command imports this module

    spelt = {each.casefold(): each for each in known}
    near = get_close_matches(word.casefold(), list(spelt), n=1)
    return f"did you mean {spelt[near[0]]}?" if near else ""
