"""The subject of a letter, as the commands compare it. Pure."""

from __future__ import annotations

import re

_PREFIX = re.compile(r"(?:(?:re|aw|fwd?|wg|sv|antw|tr)\s*(?:\[\d+\]|\(\d+\))?\s*:\s*)+", re.IGNORECASE)
_AROUND = " .,;:!?'\"<>()*"


def plain_subject(subject: str) -> str:
    """`Re[2]: Please  Compile!` -> `please compile`: undoes what people and mailers do to subjects."""
    folded = " ".join(subject.casefold().split())
    return _PREFIX.sub("", folded, count=1).strip(_AROUND)


def words_behind(subject: str, head: str) -> tuple[str, ...]:
    """The words behind a command that has arguments, as they are written: `Re: help LAP.` -> (`LAP`,).

    `head` is ASCII. A mistyped head takes as many words as the right one.
    """
    text = _PREFIX.sub("", " ".join(subject.split()), count=1).strip(_AROUND)
    is_there = text[: len(head)].casefold() == head.casefold() and not text[len(head) :][:1].isalnum()
    words = text[len(head) :].split() if is_there else text.split()[len(head.split()) :]
    stripped = (word.strip(f"{_AROUND}`") for word in words)
    return tuple(word for word in stripped if word)
