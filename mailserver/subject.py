"""The subject of a letter, as the commands compare it. Pure."""

from __future__ import annotations

import re

_PREFIX = re.compile(r"(?:(?:re|aw|fwd?|wg|sv|antw|tr)\s*(?:\[\d+\]|\(\d+\))?\s*:\s*)+")


def plain_subject(subject: str) -> str:
    """`Re[2]: Please  Compile!` -> `please compile`: undoes what people and mailers do to subjects."""
    folded = " ".join(subject.casefold().split())
    return _PREFIX.sub("", folded, count=1).strip(" .,;:!?'\"<>()*")
