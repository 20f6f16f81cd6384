"""The glossary and the guides name only files and classes that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "arena",
    "contest",
    "knobeln",
    "mailserver",
    "compiler",
    "tournament",
    "reports",
    "knobellib",
    "sandbox",
    "store",
    "trust",
)
FOLDERS = (*PACKAGES, "alembic", "bench", "docs", "tests", "tools")
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([\w ]+) \| (.+\.) \| (.*?) ?\|$", GLOSSARY, re.MULTILINE)
PAGES = {
    str(page.relative_to(ROOT)): page.read_text(encoding="utf-8")
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
}
CLASSES = {
    name
    for package in PACKAGES
    for module in (ROOT / package).rglob("*.py")
    for name in re.findall(r"^class (\w+)", module.read_text(encoding="utf-8"), re.MULTILINE)
}
_PATH = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]*)`")
_CLASS = re.compile(r"`([A-Z]\w+)`")


def missing_paths(text: str) -> set[str]:
    """The paths between backticks that are not in the tree. A path with a placeholder is none."""
    return {path for path in _PATH.findall(text) if not (ROOT / path).exists()}


@pytest.mark.parametrize("page", sorted(PAGES))
def test_every_path_on_a_page_exists(page: str) -> None:
    assert missing_paths(PAGES[page]) == set()


@pytest.mark.parametrize(("word", "code"), [(word, code) for word, _, code in ROWS])
def test_every_class_that_the_glossary_names_exists(word: str, code: str) -> None:
    assert set(_CLASS.findall(code)) <= CLASSES, word


def test_the_glossary_defines_each_word_once() -> None:
    words = [word for word, _, _ in ROWS]
    assert len(words) == len(set(words)) > 40
