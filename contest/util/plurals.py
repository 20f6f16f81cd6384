"""Within sentences: singular and plural, durations, and the word that somebody meant. Pure."""

from __future__ import annotations

from collections.abc import Iterable


def form(value: int, one: str, many: str = "") -> str:
    """Singular or plural: (1, "game") -> `game`, (2, "letter waits", "letters wait") ->
    `letters wait`."""
    return one if value == 1 else many or f"{one}s"


def plural(value: int, one: str, many: str = "") -> str:
    """(1, "game") -> `1 game`, (3, "entry", "entries") -> `3 entries`."""
    return f"{value:,} {form(value, one, many)}"


def span(seconds: float) -> str:
    """Return a duration in one unit: 40 s, 7 min, 3 h, 12 days."""
    for unit, seconds_each in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * seconds_each:
            return f"{seconds / seconds_each:.0f} {unit}"
    return f"{max(0, seconds):.0f} s"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "did you mean X?" with the known word that is nearest, or "" if none is near."""
    from difflib import get_close_matches  # seldom needed, and every command imports this module

    spelt = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), list(spelt), n=1)
    return f"did you mean {spelt[near[0]]}?" if near else ""
