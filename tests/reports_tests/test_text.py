"""Plain text: every line fits, nothing that cannot be printed comes through, no word gets lost."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest import language
from contest.language import listed
from contest.util.plurals import plural
from reports import text

ANYTHING = st.text(max_size=400)
LONG_WORDS = st.lists(st.text(st.characters(codec="utf-8"), max_size=120), max_size=20).map(
    " ".join
)


def widest(body: str) -> int:
    return max(map(text.columns_of, body.split("\n")))


@given(ANYTHING | LONG_WORDS)
def test_no_wrapped_or_folded_line_is_wider_than_72_columns(words: str) -> None:
    assert widest(text.wrap(words, indent="  ", first="- ")) <= text.WIDTH
    assert widest(text.fold(words, indent="    > ")) <= text.WIDTH
    assert widest(text.plain(words)) <= text.WIDTH


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=60), min_size=1))
def test_wrapping_keeps_every_word_in_order(words: list[str]) -> None:
    assert text.wrap(" ".join(words), indent=" ").split() == words


@given(
    st.text(
        st.characters(codec="utf-8", exclude_categories=("C", "Z")) | st.just(" "), max_size=400
    )
)
def test_folding_keeps_every_character_but_blanks(line: str) -> None:
    assert text.fold(line).replace(" ", "").replace("\n", "") == line.replace(" ", "")


@given(st.text(st.characters(), max_size=200))
def test_clean_text_has_no_control_characters_and_can_be_encoded(words: str) -> None:
    cleaned = text.clean(words)
    cleaned.encode()
    assert all(c == "\n" or not (ord(c) < 32 or 127 <= ord(c) < 160) for c in cleaned)
    assert not set(cleaned) & set(
        "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("a\tb", "a       b"),
        ("\x1b[31mred", "?[31mred"),
        ("safe\u202etxt.exe", "safe?txt.exe"),
        ("null\0 \x7f", "null? ?"),
        ("\ud800 half a character", "? half a character"),
    ],
)
def test_clean_shows_that_something_stood_there(raw: str, cleaned: str) -> None:
    assert text.clean(raw) == cleaned


def test_a_folded_line_goes_on_further_in_than_it_began() -> None:
    first, second = text.fold("  " + "word " * 20).split("\n")
    assert first == "  " + " ".join(["word"] * 14)
    assert second == "    " + " ".join(["word"] * 6)


def test_wrap_indents_every_line_and_the_first_one_otherwise_if_asked() -> None:
    assert text.wrap("a b c", width=5, indent="> ") == "> a b\n> c"
    assert text.wrap("a b c", width=5, indent="  ", first="- ") == "- a b\n  c"
    assert text.wrap("one\n\ntwo", indent="  ", first="- ") == "- one\n\n  two"


def test_wide_characters_take_two_columns() -> None:
    assert text.columns_of("漢字") == 4
    assert text.wrap("漢字" * 30).split("\n")[0] == "漢字" * 18


def test_plain_text_has_single_blank_lines_and_the_mark_of_a_signature_keeps_its_blank() -> None:
    assert text.plain("\n\na\n\n\n\nb  \n\n") == "a\n\nb\n"
    assert text.plain("a\n\n-- \nb") == "a\n\n-- \nb\n"


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (
            language.date(datetime(1994, 5, 12, 14, tzinfo=timezone(timedelta(hours=2)))),
            "1994-05-12 12:00 UT",
        ),
        (language.number(855_000_000), "855,000,000"),
        (text.percent((1, 3)), "33.3 %"),
        (text.percent((1, 2000)), "0.1 %"),
        (text.percent((1, 1)), "100.0 %"),
        (text.kilobytes(2049), "3 kB"),
        (plural(1, "game"), "1 game"),
        (plural(1200, "entry", "entries"), "1,200 entries"),
    ],
)
def test_values_are_shown_as_people_write_them(shown: str, expected: str) -> None:
    assert shown == expected


@pytest.mark.parametrize(("names", "words"), [("a", "a"), ("ab", "a and b"), ("abc", "a, b and c")])
def test_names_are_listed_as_in_a_sentence(names: str, words: str) -> None:
    assert listed(names) == words


def test_what_templates_and_commands_count_has_its_singular() -> None:
    assert [plural(n, "team is told", "teams are told") for n in (0, 1, 2)] == [
        "0 teams are told",
        "1 team is told",
        "2 teams are told",
    ]


TITLES = [
    ("International KNOBELN contest", "the International KNOBELN contest"),
    ("Cooperation competition, first version", "the Cooperation competition, first version"),
    ("Hog Strategy Contest 2027", "the Hog Strategy Contest 2027"),
    ("The Great Game", "the Great Game"),
    ("KNOBELN 94", "KNOBELN 94"),
    ("Our first contest", "our first contest"),
    ("A contest of friends", "a contest of friends"),
    ("Theodor's contest", "Theodor's contest"),
    ("Theatre of Dice", "Theatre of Dice"),
    ("", ""),
]


@pytest.mark.parametrize(("title", "words"), TITLES)
def test_a_title_has_an_article_where_it_says_what_it_is(title: str, words: str) -> None:
    assert text.with_article(title) == words
