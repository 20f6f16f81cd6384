"""The sentences of our scripts are in the list from which pages in another language take them."""

import json
import re
from importlib.resources import files

import pytest

from contest.language import speaking
from reports.site.templates import words_of_scripts

_SAID = re.compile(r'\bsay\("([^"]*)"')


def said(script: str) -> set[str]:
    """The texts in the calls of `say`; what games call a turn is a variable there."""
    text = files("reports.site").joinpath("static", script).read_text(encoding="utf-8")
    return set(_SAID.findall(text))


@pytest.mark.parametrize(
    ("script", "template", "word"),
    [
        ("cross.js", "group", "lost"),
        ("evolution.js", "evolution", "at the end"),
        ("replay.js", "replay", "{number} points"),
    ],
)
def test_a_page_has_all_sentences_of_its_script(script: str, template: str, word: str) -> None:
    with speaking("de"):
        known = json.loads(words_of_scripts(template))
    found = said(script)
    assert word in found
    assert found <= known.keys()
    for sentence in found:
        assert known[sentence]
        assert set(re.findall(r"\{(\w+)\}", known[sentence])) <= set(re.findall(r"\{(\w+)\}", sentence))


def test_an_english_page_has_no_list_of_sentences() -> None:
    assert words_of_scripts("replay") == ""
