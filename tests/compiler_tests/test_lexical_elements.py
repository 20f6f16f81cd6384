"""What counts as a lexical element (K57, K58)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.source import count, scan


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("", 0),
        (" \t\n\f\v\r", 0),
        ("while", 1),
        ("a b", 2),
        ("_x1 $y", 2),
        ("x->y", 4),
        ("i++", 3),
        ("a<<=2;", 6),
        ("10L", 1),
        ("0x1F", 1),
        ("1.5e-3", 1),
        (".5", 1),
        ("-5", 2),
        ("1 .5", 2),
        ("0x1E+1", 1),
        ("x.5", 2),
        ('""', 0),
        ("''", 0),
        ('"a b"', 3),
        (r'"\n"', 2),
        (r'"\""', 2),
        (r"'\\'", 2),
        ("'\"'", 1),
        ('"/* no comment */"', 16),
        ('"ab" "cd"', 4),
        ('L"ab"', 3),
        ("/* comment */", 0),
        ("a/* comment */b", 2),
        ("// to the end\nx", 1),
        ("/* unclosed", 0),
        ("<: %:", 4),
        ("??=", 3),
        ("é", 1),
        ("#pragma once", 3),
        ('"ab', 3),
        ("'don\\", 5),
        ('"ab\nx', 4),
        ("main(){return(0);}", 10),
    ],
)
def test_elements_are_counted_as_the_announcement_says(text: str, elements: int) -> None:
    assert count(text) == elements


@given(st.text())
def test_every_character_is_in_one_token_or_blank(text):
    covered = [range(token.offset, token.offset + len(token.text)) for token in scan(text)]
    left = set(range(len(text))).difference(*covered)
    assert sum(map(len, covered)) + len(left) == len(text)
    assert all(text[at] in " \t\f\v\r" for at in left)


@given(
    st.text(alphabet="ab1.eE+-\"'\\%:<># \t\n", max_size=100),
    st.text(alphabet="ab1\"'+ \n", max_size=100),
)
def test_texts_on_lines_of_their_own_add_up(one, other):
    assert count(f"{one}\n{other}") == count(one) + count(other)


@pytest.mark.parametrize("piece", ['"\\', "'", '"', "/*", "1e+", "\\\n", "a", "*/ /*"])
def test_no_long_text_is_hard_to_count(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    assert count(text) >= 0  # what grows faster than the text would not end here
