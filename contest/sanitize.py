"""Foreign text made fit to be shown."""

from __future__ import annotations

import unicodedata


def printable(text: str) -> str:
    """Without control characters, escape sequences and characters that turn the direction of writing."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))
