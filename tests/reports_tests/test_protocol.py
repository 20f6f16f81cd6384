"""Game protocols: what is written is what is read, in lines that fit, quickly."""

import gzip
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.config.settings import Settings
from contest.games.knobeln import Rules
from contest.model import GameResult, Match, Pairing, SeatResult, Verdict
from knobellib.software.protocolfmt import Game, games_of, in_full
from reports.knobeln_protocol import TITLE, GameProtocol, full, packed, write
from reports.text import WIDTH
from tests.reports_tests.conftest import SmallContest

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,29}", fullmatch=True)
# A failing program may throw any 32-bit number.
THROWS = st.integers(-(2**31), 2**31 - 1) | st.integers(1, 12288)
SEATS = st.builds(SeatResult, st.integers(0, 30_000_000), st.sampled_from(Verdict), st.none())
NUMBERS = st.integers(1, 10_000)
SIZES = {"b": st.integers(1, 2**30), "k": st.integers(1, 99), "L": st.integers(99, 1_000_000)}
RULES = st.builds(Rules, a=st.just(1), **SIZES)


@st.composite
def games(draw: st.DrawFn) -> GameProtocol:
    throws = draw(st.none() | st.lists(st.tuples(THROWS, THROWS), max_size=60).map(tuple))
    result = GameResult(
        seats=draw(st.tuples(SEATS, SEATS)),
        turns=draw(NUMBERS) if throws is None else len(throws),
        digest=draw(st.from_regex(r"[0-9a-f]{16}", fullmatch=True)),
        moves=throws,
    )
    match = Match(
        Pairing(draw(st.tuples(NAMES, NAMES))), draw(NUMBERS), result, draw(st.booleans())
    )
    return GameProtocol(draw(NUMBERS), draw(NUMBERS), draw(RULES), match)


def changed(game: GameProtocol, **change: object) -> GameProtocol:
    """The same with another result."""
    return replace(game, match=replace(game.match, result=replace(game.match.result, **change)))


def read(text: str) -> list[Game]:
    return list(games_of(text))


@given(st.lists(games(), max_size=4))
def test_what_was_written_is_read_again_and_written_out_in_full(played: list[GameProtocol]) -> None:
    assert list(map(in_full, read(write(played)))) == list(map(full, played))


@given(games())
def test_no_line_is_longer_than_72_columns(game: GameProtocol) -> None:
    assert max(map(len, write([game]).split("\n"))) <= WIDTH


@given(st.text().filter(lambda text: text.strip() != TITLE))  # that is a protocol of no games
def test_any_other_text_is_refused_with_the_number_of_the_line(text: str) -> None:
    with pytest.raises(ValueError, match=r"^line \d+: "):
        read(text)


@pytest.fixture(scope="module")
def game(contest: SmallContest, settings: Settings) -> GameProtocol:
    """A complete game of the small contest."""
    return GameProtocol(2, 1, settings.game, contest.final.groups[0].matches[1])


@pytest.mark.parametrize(
    ("good", "bad", "line"),
    [
        ("KNOBELN protocol 1", "KNOBELN protocol 2", 1),
        ("group=1", "group=one", 2),
        ("verdicts OK", "verdicts FINE", 2),
        ("throws 40", "throws 39", 2),
        ("throws 40", "throws 41", 2),
        ("throws 40", "throws 40 not kept", 2),
        ("\nend\n", "\n", 2),
    ],
)
def test_a_damaged_protocol_is_refused_and_the_place_is_named(
    game: GameProtocol, good: str, bad: str, line: int
) -> None:
    text = write([game])
    assert good in text
    with pytest.raises(ValueError, match=f"^line {line}: "):
        read(text.replace(good, bad, 1))


def test_players_whose_throws_do_not_match_are_refused(game: GameProtocol) -> None:
    lines = write([game]).split("\n")
    lines[9] = lines[9].rpartition(",")[0]
    with pytest.raises(ValueError, match=r"^line 2: "):
        read("\n".join(lines))


def test_a_name_with_a_blank_is_refused(game: GameProtocol) -> None:
    with pytest.raises(ValueError, match="white space"):
        write([replace(game, match=replace(game.match, pairing=Pairing(("two words", "x"))))])


def test_packing_the_same_text_twice_gives_the_same_bytes(game: GameProtocol) -> None:
    text = write([game])
    assert packed(text) == packed(text)
    assert packed(text)[4:8] == bytes(4)  # no time in the header
    assert gzip.decompress(packed(text)).decode() == text


# --- the full form --------------------------------------------------------------------------------
def rows(text: str) -> list[tuple[str, ...]]:
    pattern = r" *(\d+) ([ >]) *(-?\d+) +(\d+) +(\d+)   ([ >]) *(-?\d+) +(\d+) +(\d+)"
    return [found.groups() for line in text.split("\n") if (found := re.fullmatch(pattern, line))]


def test_the_full_form_has_every_throw_and_ends_with_the_points_of_the_game(
    game: GameProtocol,
) -> None:
    table = rows(full(game))
    assert [(int(row[2]), int(row[6])) for row in table] == list(game.match.result.moves)
    assert [int(table[-1][4]), int(table[-1][8])] == [
        seat.points for seat in game.match.result.seats
    ]
    assert full(game).endswith("played to the end\n")


def test_the_full_form_marks_where_series_begin(game: GameProtocol) -> None:
    table = rows(full(changed(game, moves=((5, 9), (5, 8), (6, 8), (2, 9)), turns=4)))
    assert [(row[1], row[5]) for row in table] == [(">", ">"), (" ", ">"), (" ", " "), (">", " ")]


@given(games())
def test_the_full_form_fits_into_72_columns(game: GameProtocol) -> None:
    positive = tuple((abs(p) + 1, abs(q) + 1) for p, q in game.match.result.moves or ())
    assert max(map(len, full(changed(game, moves=positive)).split("\n"))) <= WIDTH


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"seats": (SeatResult(40, Verdict.OK, None), SeatResult(2, Verdict.TIME, None))},
            "time limit\nThe game was stopped; its points are discarded.",
        ),
        ({"moves": None}, "In this game 40 throws were played, but not kept."),
    ],
)
def test_the_full_form_says_how_the_game_ended(
    game: GameProtocol, change: dict[str, tuple[SeatResult, ...] | None], words: str
) -> None:
    assert words in full(changed(game, **change))


def test_the_full_form_says_that_a_game_does_not_count(game: GameProtocol) -> None:
    text = full(replace(game, match=replace(game.match, counted=False)))
    assert "played to the end\nThe game does not count." in text
