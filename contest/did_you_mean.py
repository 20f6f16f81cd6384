"""The word that somebody probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "did you mean X?" with the known word that is nearest, or "" if none is near."""
    near = get_close_matches(word, list(known), n=1)
    return f"did you mean {near[0]}?" if near else ""
