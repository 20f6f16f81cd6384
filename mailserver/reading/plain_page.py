"""A page of Markdown as plain text, for mails."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO

from rich.console import Console, ConsoleOptions
from rich.markdown import Heading, Markdown
from rich.text import Text


class _Underlined(Heading):
    """A heading that is seen without colours."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        mark = "=" if self.tag == "h1" else "-"
        yield Text("" if self.tag == "h1" else "\n").append(self.text)
        yield Text(mark * len(self.text))


class _Page(Markdown):
    elements = {**Markdown.elements, "heading_open": _Underlined}  # noqa: RUF012 - as in the library


def plain_page(markdown: str, width: int) -> str:
    """Return a page as plain text in at most this number of columns."""
    out = StringIO()
    console = Console(
        file=out, width=width, color_system=None, force_terminal=False, legacy_windows=False
    )
    console.print(_Page(markdown, hyperlinks=True))
    lines = "\n".join(line.rstrip() for line in out.getvalue().splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).strip("\n") + "\n"
