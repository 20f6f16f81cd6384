"""Letter -> the registration in its text, in its HTML, or in an attached text. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from contest.config.settings import Settings
from contest.language import gettext
from mailserver.problem import Problem
from mailserver.reading import html
from mailserver.reading.letter import Letter
from mailserver.reading.mime_parts import decode_text
from mailserver.reading.part_text import SentFile
from mailserver.reading.registration_form import (
    MAX_LINE_CHARACTERS,
    MAX_LINES,
    FormResult,
    holds_form,
    read,
)

_MAX_FILE_BYTES = MAX_LINES * MAX_LINE_CHARACTERS
_PAGES = (".html", ".htm")
_SIGNS_OF_A_DOCUMENT = ("%PDF-", "{\\rtf", "PK\x03\x04")


def read_form(letter: Letter, settings: Settings) -> FormResult:
    """Return the registration in this letter, or everything that is wrong with it."""
    result = read(letter.form_lines, settings)
    if result.registration is None and letter.page is not None:
        seen = read(letter.page.lines, settings)
        result = seen if seen.registration is not None else result
    if result.form is not None:
        return result
    for name, lines in _attached_texts(letter):
        attached = read(lines, settings)
        if attached.form is not None:
            words = gettext("the form was read from the attached file %(name)s", name=name)
            return replace(attached, remarks=(words, *attached.remarks))
    return replace(result, problems=(*result.problems, *_unread(letter.files)))


def brings_form(letter: Letter, settings: Settings) -> bool:
    """Return whether a team has written a form into the letter, or attached one."""
    texts = (letter.form_lines, *(lines for _, lines in _attached_texts(letter)))
    return any(holds_form(lines, settings) for lines in texts)


def _attached_texts(letter: Letter) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the names and lines of the attached files that are text."""
    for file in letter.files:
        text = _text_of(file)
        if text:
            is_page = file.name.lower().endswith(_PAGES)
            yield file.name, html.seen_lines(text) if is_page else tuple(text.splitlines())


def _text_of(file: SentFile) -> str:
    """Return the file as text; "" if it is none that a form could be in."""
    if file.problem or len(file.data) > _MAX_FILE_BYTES:
        return ""
    text, _ = decode_text(file.data, "")
    return "" if "\0" in text or text.startswith(_SIGNS_OF_A_DOCUMENT) else text


def _unread(files: Sequence[SentFile]) -> Iterator[Problem]:
    """Yield the files in which there may be a form that nobody reads here."""
    for file in files:
        if not _text_of(file):
            text = gettext(
                "I cannot read a form in the attached file %(name)s: please write it into the mail"
                " itself.",
                name=file.name,
            )
            yield Problem(text)
