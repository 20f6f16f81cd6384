"""A person's name as that person writes it, found in a class list. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches

MAX_NAME_CHARACTERS = 100
_MAX_NEAR = 3
_NEAR = 0.75  # of 1, as difflib compares; two letters of ten may be wrong
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "o", "ł": "l"})


@dataclass(frozen=True)
class FoundName:
    """Those in the list who have the name, or, if there are none, those whose names are near."""

    same: tuple[str, ...]
    near: tuple[str, ...] = ()


def find(written: str, listed: Sequence[str]) -> FoundName:
    """Look for the name, whatever its order, accents, capitals and punctuation.

    A first or a last name alone is near the names that have it.
    """
    words = _words(written)
    by_words = [(name, _words(name)) for name in dict.fromkeys(listed)]
    same = tuple(name for name, its in by_words if its == words and words)
    if same or not words:
        return FoundName(same)
    part = [name for name, its in by_words if set(words) < set(its) or set(its) < set(words)]
    alike = {" ".join(its): name for name, its in by_words}
    close = get_close_matches(" ".join(words), alike, n=_MAX_NEAR, cutoff=_NEAR)
    near = dict.fromkeys([*(alike[each] for each in close), *part])
    return FoundName((), tuple(_nearest_first(words, tuple(near))[:_MAX_NEAR]))


def _nearest_first(words: Sequence[str], near: Sequence[str]) -> Sequence[str]:
    def distance(name: str) -> float:
        return -SequenceMatcher(None, " ".join(words), " ".join(_words(name))).ratio()

    return sorted(near, key=distance)


def _words(name: str) -> tuple[str, ...]:
    """Return the words of the name in small letters a to z where there are such, in the alphabet's
    order."""
    german = name[:MAX_NAME_CHARACTERS].casefold().translate(_GERMAN)
    decomposed = unicodedata.normalize("NFKD", german)
    signs = (sign for sign in decomposed if not unicodedata.combining(sign))
    plain = "".join(sign if sign.isalnum() else " " for sign in signs)
    return tuple(sorted(plain.split()))
