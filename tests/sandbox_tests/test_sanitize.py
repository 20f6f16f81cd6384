"""Foreign text that is safe to show."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.util.sanitize import is_invisible, sanitize


@given(st.text(), st.sampled_from(["", "?", " "]), st.none() | st.integers(3, 40), st.booleans())
def test_no_text_can_move_a_cursor_turn_the_writing_or_fail_to_be_encoded(
    text: str, replacement: str, max_length: int | None, one_line: bool
) -> None:
    found = sanitize(text, max_length=max_length, one_line=one_line, replacement=replacement)
    found.encode()
    assert not any(is_invisible(character) for character in found if character not in "\n\t")
    assert not (one_line and {"\n", "\t"} & set(found))
    assert max_length is None or len(found) <= max_length
    if max_length is None and not one_line:
        assert sanitize(found, replacement=replacement) == found


@given(
    st.text(
        st.characters(
            exclude_categories=("Cc", "Cf", "Cs", "Co", "Zl", "Zp"), include_characters="\n\t"
        )
    )
)
def test_visible_text_stays_as_it_is(text: str) -> None:
    assert sanitize(text, replacement="?") == text


@pytest.mark.parametrize(
    ("character", "category"),
    [
        ("\x1b", "Cc"),
        ("\x9b", "Cc"),
        ("\r", "Cc"),
        ("\x7f", "Cc"),
        ("\u202e", "Cf"),
        ("\u200b", "Cf"),
        ("\ufeff", "Cf"),
        ("\u2028", "Zl"),
        ("\u2029", "Zp"),
        ("\ue000", "Co"),
        ("\ud800", "Cs"),
    ],
)
def test_each_kind_of_invisible_character_is_replaced(character: str, category: str) -> None:
    assert unicodedata.category(character) == category
    assert sanitize(f"a{character}b", replacement="?") == "a?b"
    assert sanitize(f"a{character}b") == "ab"


def test_what_terminals_obey_is_not_shown() -> None:
    assert sanitize("a\x1b[31m\x07b\u202e\u200bc\n\x9bd") == "a[31mbc\nd"


def test_one_line_and_a_maximum_length() -> None:
    assert sanitize(" a\n\tb  c ", one_line=True) == "a b c"
    assert sanitize("x" * 20, max_length=10) == "xxxxxxx..."
    assert sanitize("x" * 10, max_length=10) == "x" * 10
