"""Game protocols: what is written is what is read, in lines that fit, quickly."""

import gzip
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.games.knobeln import Rules
from contest.model import Verdict
from knobellib.software import protocolfmt
from reports.knobeln_protocol import TITLE, GameProtocol, ProtocolError, full, packed, read, write
from reports.text import WIDTH

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,29}", fullmatch=True)
# A failing program may throw any 32-bit number.
THROWS = st.integers(-(2**31), 2**31 - 1) | st.integers(1, 12288)
POINTS = st.integers(0, 30_000_000)
NUMBERS = st.integers(1, 10_000)
SIZES = {"b": st.integers(1, 2**30), "k": st.integers(1, 99), "L": st.integers(99, 1_000_000)}
RULES = st.builds(Rules, a=st.just(1), **SIZES)


@st.composite
def games(draw: st.DrawFn) -> GameProtocol:
    throws = draw(st.none() | st.lists(st.tuples(THROWS, THROWS), max_size=60).map(tuple))
    return GameProtocol(
        round=draw(NUMBERS),
        group=draw(NUMBERS),
        attempt=draw(NUMBERS),
        players=draw(st.tuples(NAMES, NAMES)),
        rules=draw(RULES),
        points=draw(st.tuples(POINTS, POINTS)),
        verdicts=draw(st.tuples(st.sampled_from(Verdict), st.sampled_from(Verdict))),
        counted=draw(st.booleans()),
        digest=draw(st.from_regex(r"[0-9a-f]{16}", fullmatch=True)),
        throws_played=draw(NUMBERS) if throws is None else len(throws),
        throws=throws,
    )


@pytest.mark.slow
@given(st.lists(games(), max_size=4))
def test_what_was_written_is_read_again(written: list[GameProtocol]) -> None:
    assert read(write(written)) == tuple(written)


@given(st.lists(games(), max_size=4))
def test_the_formatter_that_teams_have_writes_the_same(played: list[GameProtocol]) -> None:
    found = protocolfmt.games_of(protocolfmt.Lines("a file", write(played)))
    assert list(map(protocolfmt.in_full, found)) == list(map(full, played))


@given(games())
def test_no_line_is_longer_than_72_columns(game: GameProtocol) -> None:
    assert max(map(len, write([game]).split("\n"))) <= WIDTH


@given(st.text().filter(lambda text: text.strip() != TITLE))  # that is a protocol of no games
def test_any_other_text_is_refused_with_the_number_of_the_line(text: str) -> None:
    with pytest.raises(ProtocolError, match=r"^line \d+: "):
        read(text)


@pytest.fixture(scope="module")
def game(contest, settings) -> GameProtocol:
    """A complete game of the small contest."""
    return GameProtocol.of(contest.final.groups[0].matches[1], 2, 1, settings.game)


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ("KNOBELN protocol 1", "KNOBELN protocol 2", "line 1: there must be `KNOBELN protocol 1`"),
        ("group=1", "group=one", "line 2: there must be `game round=1 group=1 attempt=1`"),
        ("verdicts OK", "verdicts FINE", "line 6: there must be `verdicts OK OK`"),
        (
            "rules a=1 b=12288",
            "rules a=5 b=2",
            "line 4: these are no rules of the game: Value error, a is larger than b",
        ),
        ("rules a=1", "rules a=0", "line 4: these are no rules of the game: a Input should be greater"),
        ("throws 40", "throws 39", "there are more throws than the 39 announced"),
        ("throws 40", "throws 41", "line 16: there must be throws"),
        ("\nend\n", "\n", "the text ends in the middle of a game"),
    ],
)
def test_a_damaged_protocol_is_refused_and_the_right_form_shown(game, good, bad, message) -> None:
    text = write([game])
    assert good in text
    with pytest.raises(ProtocolError, match=re.escape(message)) as refused:
        read(text.replace(good, bad, 1))
    assert "\n" not in str(refused.value)


def test_players_whose_throws_do_not_match_are_refused(game) -> None:
    lines = write([game]).split("\n")
    lines[9] = lines[9].rpartition(",")[0]
    with pytest.raises(ProtocolError, match=r"line 11: the line above has 13 throws, this one 14"):
        read("\n".join(lines))


def test_a_name_with_a_blank_is_refused(game) -> None:
    with pytest.raises(ValueError, match="white space"):
        write([replace(game, players=("two words", "x"))])


def test_packing_the_same_text_twice_gives_the_same_bytes(game) -> None:
    text = write([game])
    assert packed(text) == packed(text)
    assert packed(text)[4:8] == bytes(4)  # no time in the header
    assert gzip.decompress(packed(text)).decode() == text


# --- the full form -----------------------------------------------------------------------------------------
def rows(text: str) -> list[tuple[str, ...]]:
    pattern = r" *(\d+) ([ >]) *(-?\d+) +(\d+) +(\d+)   ([ >]) *(-?\d+) +(\d+) +(\d+)"
    return [found.groups() for line in text.split("\n") if (found := re.fullmatch(pattern, line))]


def test_the_full_form_has_every_throw_and_ends_with_the_points_of_the_game(game) -> None:
    table = rows(full(game))
    assert [(int(row[2]), int(row[6])) for row in table] == list(game.throws)
    assert (int(table[-1][4]), int(table[-1][8])) == game.points
    assert full(game).endswith("played to the end\n")


def test_the_full_form_marks_where_series_begin(game) -> None:
    throws = ((5, 9), (5, 8), (6, 8), (2, 9))
    table = rows(full(replace(game, throws=throws, throws_played=4)))
    assert [(row[1], row[5]) for row in table] == [(">", ">"), (" ", ">"), (" ", " "), (">", " ")]


@given(games())
def test_the_full_form_fits_into_72_columns(game: GameProtocol) -> None:
    positive = tuple((abs(p) + 1, abs(q) + 1) for p, q in game.throws or ())
    assert max(map(len, full(replace(game, throws=positive)).split("\n"))) <= WIDTH


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"verdicts": (Verdict.OK, Verdict.TIME)},
            "time limit\nThe game was stopped; its points are discarded.",
        ),
        ({"counted": False}, "played to the end\nThe game does not count."),
        ({"throws": None}, "In this game 40 throws were played, but not kept."),
    ],
)
def test_the_full_form_says_how_the_game_ended(game, change, words) -> None:
    assert words in full(replace(game, **change))
