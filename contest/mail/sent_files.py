"""What senders are told of their files: names, and the line ends of a text. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from contest.language import gettext, listed, ngettext

_LINE_END = re.compile(r"\r\n|\r|\n")


def with_newlines(text: str) -> tuple[str, str]:
    """The text with newlines as line ends, and a remark where a carriage return (CR) stood alone.

    Compilers and most editors read it as a line end, too, but not all mailers and viewers do: so it may end a
    `//` comment where its writer does not see that.
    """
    alone = [number for number, end in enumerate(_LINE_END.findall(text), 1) if end == "\r"]
    if not alone:
        return text.replace("\r\n", "\n"), ""
    return _LINE_END.sub("\n", text), gettext(
        "a carriage return (CR) without a line feed was read as a line end in %(lines_named)s",
        lines_named=lines_named(alone),
    )


def lines_named(numbers: Iterable[int], most: int = 10) -> str:
    """`line 3`, `lines 3, 14 and 31`."""
    words = [str(number) for number in numbers]
    if len(words) > most:
        words = [*words[:most], gettext("%(number)s more", number=len(words) - most)]
    return ngettext("line %(lines)s", "lines %(lines)s", len(words), lines=listed(words))


def right_name() -> str:
    """Says which names `file_names.is_safe` takes."""
    return gettext(
        "a name consists of at most 64 letters (A-Z, a-z), digits, dots, hyphens and underscores, and starts "
        "with a letter or digit, e.g. program_3.py"
    )
