"""What goes to the teams with an answer: the rules, and what they test their programs with (K22, U14)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from io import StringIO

from rich.console import Console, ConsoleOptions
from rich.markdown import Heading, Markdown
from rich.text import Text

from knobeln.config import DEFAULT_GAME
from knobeln.games import rules_text
from knobeln.model import Attachment

WIDTH = 72


@cache
def software(game: str) -> tuple[Attachment, ...]:
    """For KNOBELN the library's source, for the other games sample programs to play against."""
    folder = files("knobellib")
    if game == DEFAULT_GAME:
        data = folder.joinpath("knobellib.c").read_bytes()
        return (Attachment("knobellib.c", "text/x-csrc", data),)
    samples = folder.joinpath("opponents", game)
    if not samples.is_dir():
        return ()
    programs = sorted((f for f in samples.iterdir() if f.is_file()), key=lambda file: file.name)
    return tuple(Attachment(f.name, "text/plain", f.read_bytes()) for f in programs)


@cache
def rules(game: str) -> tuple[Attachment, ...]:
    """The rules of the game as rules.txt; nothing where nobody wrote them down."""
    text = rules_text(game)
    return (Attachment("rules.txt", "text/plain", _plain(text).encode()),) if text else ()


class _Underlined(Heading):
    """A heading that is seen without colours."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        mark = "=" if self.tag == "h1" else "-"
        yield Text("" if self.tag == "h1" else "\n").append(self.text)
        yield Text(mark * len(self.text))


class _Page(Markdown):
    elements = {**Markdown.elements, "heading_open": _Underlined}  # noqa: RUF012 - as in the library


def _plain(markdown: str) -> str:
    """A page as plain text in at most 72 columns."""
    out = StringIO()
    console = Console(file=out, width=WIDTH, color_system=None, force_terminal=False, legacy_windows=False)
    console.print(_Page(markdown, hyperlinks=True))
    lines = "\n".join(line.rstrip() for line in out.getvalue().splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).strip("\n") + "\n"
