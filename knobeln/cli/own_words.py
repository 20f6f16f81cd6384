"""The organizer's own words: from a file, from standard input or from an editor."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from contest.errors import GiveUp, NotNow


def own_words(file: Path | None, hint: str, before: str = "") -> str:
    """Return the text of the file, `-` for standard input. Without a file an editor opens, with `before`.

    Raises NotNow for an empty text, and GiveUp for a file that is not in UTF-8.
    """
    if file is None and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("there is no terminal for an editor: name a FILE, or `-` for standard input")
    text = (_edited(before, hint) if file is None else _text_of(file)).strip()
    if not text:
        raise NotNow("the text is empty, so nothing is sent")
    return text


def _edited(before: str, hint: str) -> str:
    text = click.edit(f"{before}\n# {hint} Lines that begin with # are left out.\n")
    if text is None:
        raise NotNow("nothing was saved in the editor, so nothing is sent")
    return "\n".join(line for line in text.splitlines() if not line.startswith("#"))


def _text_of(file: Path) -> str:
    try:
        with click.open_file(str(file), encoding="utf-8") as stream:
            return str(stream.read())
    except UnicodeDecodeError as error:
        raise GiveUp(f"{file} is not in UTF-8: {error}") from None
