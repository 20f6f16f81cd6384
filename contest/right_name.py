"""What teams are told of the names that files may have; apart from `file_names`, which kits have, too."""

from __future__ import annotations

from contest.language import gettext


def right_name() -> str:
    """Says which names `file_names.is_safe` takes."""
    return gettext(
        "a name consists of at most 64 letters (A-Z, a-z), digits, dots, hyphens and underscores, and starts "
        "with a letter or digit, e.g. program_3.py"
    )
