"""The authentification string and the `<<FROM>>` line."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailserver.problem import Problem
from mailserver.team_secret import (
    ALPHABET,
    FromLine,
    digest,
    find_from_line,
    matches,
    new_string,
    without_strings,
)


def test_a_string_is_one_word_of_at_least_95_bits_without_look_alikes() -> None:
    strings = {new_string() for _ in range(200)}
    assert len(strings) == 200
    assert all(re.fullmatch(r"([2-9a-hjkmnp-z]{4}-){4}[2-9a-hjkmnp-z]{4}", s) for s in strings)
    assert 20 * math.log2(len(ALPHABET)) >= 95
    assert not set(ALPHABET) & set("0Oo1lI|i")


def test_only_the_same_string_matches_its_digest() -> None:
    string = new_string()
    assert matches(string, digest(string))
    assert not matches(string + "x", digest(string))
    assert not matches(string, None)
    assert not matches("", None)


GOOD = [
    ["/*", "  <<FROM>> lords k7qd", "*/"],
    ["/* <<FROM>> lords k7qd */"],
    ["/*", " * <<FROM>>   lords\tk7qd", " */"],
    ["<<FROM>> lords k7qd"],
    ["", "/**", "<<FROM>> lords k7qd*/ int x;"],
    ["<<FROM>> lords k7qd", 'char *s = "x <<FROM>> y";', "<<FROM>> lords k7qd"],
]


@pytest.mark.parametrize("lines", GOOD)
def test_the_from_line_is_found(lines: list[str]) -> None:
    found = find_from_line(lines)
    assert isinstance(found, FromLine)
    assert (found.team, found.string) == ("lords", "k7qd")
    assert "<<FROM>>" in lines[found.line_number - 1]


BAD = [
    (["int main() {}"], 0, "There is no <<FROM>> line"),
    ([], 0, "There is no <<FROM>> line"),
    (["/*", "<<FROM>> lords", "  k7qd", "*/"], 2, "split over two lines"),
    (["/*", "<<FROM>>", "  lords k7qd", "*/"], 2, "split over two lines"),
    (["/*", "<<FROM>> lords", "*/"], 2, "there is 1"),
    (["/* <<FROM>> */"], 1, "there are none"),
    (["/* <<FROM>> the heavy lords k7qd */"], 1, "there are 4"),
    (["<<from>> lords k7qd"], 1, "exactly as shown"),
    (["<FROM> lords k7qd"], 1, "exactly as shown"),
    (["&lt;&lt;FROM&gt;&gt; lords k7qd"], 1, "exactly as shown"),
    (["I am <<FROM>> lords k7qd"], 1, "nothing but blanks"),
    (["<<FROM>> lords k7qd", "<<FROM>> kings k7qd"], 2, "2 different"),
]


@pytest.mark.parametrize(("lines", "line", "words"), BAD)
def test_a_wrong_from_line_is_explained_without_its_secret(
    lines: list[str], line: int, words: str
) -> None:
    problem = find_from_line(lines)
    assert isinstance(problem, Problem)
    assert problem.line == line
    assert words in problem.text
    assert "k7qd" not in problem.text + problem.quote
    assert "<<FROM>> team_name authentification_string" in problem.expected


@given(st.lists(st.text() | st.sampled_from(["<<FROM>>", "<<FROM>> a b", "*/"]), max_size=8))
def test_no_program_raises(lines: list[str]) -> None:
    assert isinstance(find_from_line(lines), FromLine | Problem)


_STRING = new_string()


@given(
    st.text(),
    st.sampled_from(["", "-", "k7qd-", "zzzz-zzzz-zzzz-zzzz-z", "_", "a", " ", "7-", "*/"]),
    st.text(),
)
def test_no_string_is_left_in_what_is_published(before: str, between: str, after: str) -> None:
    text = before + between + _STRING + between + after
    for shown in (text, text.upper()):
        public = without_strings(shown)
        assert _STRING not in public.casefold()
        assert len(public) == len(shown)


def test_what_only_resembles_a_string_is_published() -> None:
    text = "int a = b-c-d-e; /* well-known: one-step-at-a-time, 2024-05-14 */"
    assert without_strings(text) == text
