"""Everything that the program says to people: pages, templates, help texts, settings, catalogue,
messages."""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from babel.messages.pofile import read_po

from contest.config.settings import Settings
from contest.language import available, catalogue_path
from tools import reference

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "arena",
    "cluster",
    "compiler",
    "contest",
    "knobeln",
    "mailserver",
    "reports",
    "sandbox",
    "store",
    "tournament",
    "trust",
)
PLACE = "VALUE"
"""What stands in a sentence for a value that is filled in."""


def pages() -> Iterator[tuple[str, str]]:
    """The pages in Markdown, and the README of the kit."""
    for path in (
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "knobellib").rglob("README"),
    ):
        if path.parent.name != "reference":  # which `make docs` makes
            yield _text_of(path)


def templates() -> Iterator[tuple[str, str]]:
    """The templates of mails and pages, and the scripts of the check page."""
    for path in ROOT.glob("reports/**/*.j2"):
        yield _text_of(path)
    for path in ROOT.glob("trust/check_page/js/*.js"):
        yield _text_of(path)


def help_texts() -> Iterator[tuple[str, str]]:
    """What `--help` of each command says."""
    for name, command in reference.commands():
        options = (getattr(parameter, "help", None) or "" for parameter in command.params)
        yield name, "\n".join((command.help or "", *options))


def descriptions() -> Iterator[tuple[str, str]]:
    """What contest.toml says about its sections and settings."""
    for section, field in Settings.model_fields.items():
        kind = field.annotation
        yield section, getattr(kind, "__doc__", None) or ""
        for name, setting in getattr(kind, "model_fields", {}).items():
            yield f"{section}.{name}", setting.description or ""


def catalogue() -> Iterator[tuple[str, str]]:
    """The sentences of the catalogues, in both languages."""
    for language in available():
        path = catalogue_path(language)
        if path.is_file():
            with path.open("rb") as file:
                for message in read_po(file):
                    texts = [*_forms(message.id), *_forms(message.string)]
                    yield f"{language}: {texts[0][:60]}", "\n".join(texts)


def _forms(text: str | list[str] | tuple[str, ...] | None) -> Sequence[str]:
    """The sentence, or its singular and its plural."""
    return (text,) if isinstance(text, str) else text or ()


def messages() -> Iterator[tuple[str, str]]:
    """The texts in modules: errors, hints, what is printed. Docstrings are for readers of the
    code."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
            for node in ast.walk(tree):
                if id(node) not in docstrings and (text := _said(node)):
                    yield f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}", text


def everything() -> Iterator[tuple[str, str]]:
    """All of them: where each is, and what it says."""
    yield from pages()
    yield from templates()
    yield from help_texts()
    yield from descriptions()
    yield from catalogue()
    yield from messages()


def _said(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else PLACE for part in node.values)
        return "".join(map(str, parts))
    return ""


def _text_of(path: Path) -> tuple[str, str]:
    return str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
