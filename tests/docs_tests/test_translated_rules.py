"""The rules of the games in other languages: nothing of the English page is missing or has other
numbers."""

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from contest.games.registry import END_OF_RULES, built_in, rules_text
from contest.language import SOURCE, available, speaking
from mailserver.attachments import rules

GAMES = Path(__file__).parents[2] / "docs" / "games"
LANGUAGES = [language for language in available() if language != SOURCE]
PAGES = [(name, language) for name in built_in() for language in LANGUAGES]

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def of_each_piece(text: str, language: str) -> list[object]:
    """What has to be alike in two languages: the structure, code, links and numbers, each in its
    place."""
    return [
        piece
        for token in MarkdownIt("commonmark").enable("table").parse(text)
        for piece in _of(token, language)
    ]


def _of(token: Token, language: str) -> list[object]:
    if token.children is None:
        return [token.type, token.tag, token.info, token.content]
    words = "".join(child.content for child in token.children if child.type == "text")
    # Each language parts thousands and decimals by signs of its own, and has its own order of
    # words.
    numbers = sorted(re.sub("[.,]", "", number) for number in _NUMBER.findall(words))
    code = sorted(child.content for child in token.children if child.type == "code_inline")
    links = [str(child.attrs["href"]) for child in token.children if child.type == "link_open"]
    return [numbers, code, [link.replace(f".{language}.md", ".md") for link in links]]


def page(name: str, language: str = SOURCE) -> str:
    return (GAMES / (f"{name}.md" if language == SOURCE else f"{name}.{language}.md")).read_text(
        "utf-8"
    )


@pytest.mark.parametrize(("name", "language"), PAGES)
def test_a_translation_has_the_structure_the_code_and_the_numbers_of_the_english(
    name: str, language: str
) -> None:
    assert of_each_piece(page(name, language), language) == of_each_piece(page(name), language)


@pytest.mark.parametrize(("name", "language"), PAGES)
def test_a_letter_brings_the_translation_without_what_only_readers_of_the_program_need(
    name: str, language: str
) -> None:
    with speaking(language):
        (sent,) = rules(name)
    lines = sent.data.decode().split("\n")
    theirs, _, ours = page(name, language).partition(END_OF_RULES)
    headings = [re.findall(r"^#+ (.*)", part, re.MULTILINE) for part in (theirs, ours)]
    assert set(headings[0]) <= set(lines)
    assert headings[1]
    assert not set(headings[1]) & set(lines)


def test_the_english_text_is_the_one_of_archives() -> None:
    with speaking("de"):
        assert rules_text("knobeln") == page("knobeln").partition(END_OF_RULES)[0]
