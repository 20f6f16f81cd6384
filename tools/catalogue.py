"""Collect the sentences of mails and pages for the catalogues (contest/locale): `make catalogue`.

With `--check`, as `make lint` calls it, it changes nothing, and fails while a catalogue is not
finished.

Templates mark a sentence by `_`, `ngettext` or `{% trans %}`, modules by `gettext`, `ngettext` or
`noted` of contest.language, the scripts of pages by `say` or `noted`, those of the check page by
`say`, `must`, `count`. New sentences come into each catalogue without a translation; a sentence
that has changed a little keeps its translation and is marked as fuzzy; one that is gone is deleted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from contest.language import DOMAIN, LOCALE, catalogue_path  # noqa: E402

PACKAGES = (
    "arena",
    "contest",
    "knobeln",
    "mailserver",
    "compiler",
    "tournament",
    "reports",
    "sandbox",
    "store",
    "trust",
)

# In a template `_` takes sentences; in a module only the names of contest.language do.
_METHODS = [("**.py", "python"), ("**.j2", "jinja2"), ("site/static/**.js", "javascript")]
_OPTIONS = {
    "**.j2": {
        "trim_blocks": "true",
        "lstrip_blocks": "true",
        "keep_trailing_newline": "true",
        "newstyle_gettext": "true",
        "silent": "false",
    }
}
# They change with every call, or name people.
_HEADERS_WITHOUT_USE = tuple(
    f'"{name}:'
    for name in (
        "Report-Msgid-Bugs-To",
        "POT-Creation-Date",
        "PO-Revision-Date",
        "Last-Translator",
        "Language-Team",
        "Generated-By",
    )
)
_KEYWORDS = {
    "_": None,
    "say": None,
    "gettext": None,
    "noted": None,
    "ngettext": (1, 2),
    "noted_plural": (1, 2),
}
_SCRIPTS = (
    "trust/check_page/js",
    [("*.js", "javascript")],
    {"say": None, "must": (2,), "count": (2, 3)},
)


def collected() -> Catalog:
    """All sentences of our source, in the order of files, without line numbers: they change too
    often."""
    catalogue = Catalog(project=DOMAIN, charset="utf-8")
    for package, methods, keywords in (
        *((package, _METHODS, _KEYWORDS) for package in PACKAGES),
        _SCRIPTS,
    ):
        messages = extract_from_dir(
            ROOT / package, methods, _OPTIONS, keywords=keywords, comment_tags=("For translators:",)
        )
        for file, _, message, comments, context in sorted(
            messages, key=lambda one: (one[0], one[1])
        ):
            catalogue.add(
                message,
                None,
                [(f"{package}/{file}", None)],
                auto_comments=comments,
                context=context,
            )
    return catalogue


def updated(path: Path, sentences: Catalog) -> bytes:
    """The catalogue with the sentences of our source, and with its own translations of them."""
    with path.open("rb") as file:
        catalogue = read_po(file, locale=path.parts[-3])
    catalogue.update(sentences, no_fuzzy_matching=False, update_creation_date=False)
    catalogue.obsolete.clear()
    output = BytesIO()
    write_po(output, catalogue, width=0, include_lineno=False)
    lines = output.getvalue().decode().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(_HEADERS_WITHOUT_USE)).encode()


def forms_of(sentence: Message) -> Sequence[str]:
    """The translation's forms: one, or those for several numbers; "" where one is missing."""
    return (sentence.string or "",) if isinstance(sentence.string, str | None) else sentence.string


def is_translated(sentence: Message) -> bool:
    """Whether no form is missing or only guessed (`fuzzy`)."""
    return all(forms_of(sentence)) and not sentence.fuzzy


def lacking(language: str) -> Iterator[str]:
    """What is to be done until the catalogue is finished."""
    path = catalogue_path(language)
    current = updated(path, collected())
    if current != path.read_bytes():
        yield "call `make catalogue`"
    missing = [
        message
        for message in read_po(BytesIO(current), locale=language)
        if not is_translated(message)
    ]
    if missing:
        yield f"translate {len(missing)} sentences, empty or `fuzzy` in {path.relative_to(ROOT)}:"
    yield from (f"    {message.id}" for message in missing)


def main(words: Sequence[str]) -> int:
    incomplete = {}
    for language in sorted(folder.name for folder in LOCALE.iterdir() if folder.is_dir()):
        if words != ["--check"]:
            path = catalogue_path(language)
            path.write_bytes(updated(path, collected()))
        incomplete[language] = "\n".join(lacking(language))
        print(f"{language}: {incomplete[language] or 'complete'}")
    return int(words == ["--check"] and any(incomplete.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
