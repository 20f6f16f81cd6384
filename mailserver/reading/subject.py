"""The subject of a letter, as the commands read it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PREFIX = re.compile(r"(?:(?:re|aw|fwd?|wg|sv|antw|tr)\s*(?:\[\d+\]|\(\d+\))?\s*:\s*)+", re.IGNORECASE)
_AROUND = " .,;:!?'\"<>()*"


def clean_subject(subject: str) -> str:
    """`Re[2]: Please  Compile!` -> `Please Compile`: undoes what people and mailers do to subjects."""
    return _PREFIX.sub("", " ".join(subject.split()), count=1).strip(_AROUND)


def plain_subject(subject: str) -> str:
    """The clean subject in small letters, to be compared."""
    return clean_subject(subject).casefold()


def arguments_after(subject: str, head: str) -> tuple[str, ...] | None:
    """The words after `head`, without signs around them; None where the clean subject does not begin with it.

    `head` is a plain subject.
    """
    words, count = subject.split(), len(head.split())
    return stripped(words[count:]) if " ".join(words[:count]).casefold() == head else None


def stripped(words: Sequence[str]) -> tuple[str, ...]:
    """The words without quotation marks and punctuation around them, as far as anything is left."""
    return tuple(text for word in words if (text := word.strip(f"{_AROUND}`")))
