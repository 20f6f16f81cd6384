"""What a spectator reads about how sure the ranking is."""

import pytest

from contest.games.registry import game_of
from contest.model import Certainty, TeamCertainty
from knobeln import presets
from reports.certainty import certainty_facts, certainty_sentence, why_no_certainty
from tests.support.contest_field import NOW

PLAYED = (
    "How much is luck? The whole contest was drawn and played again 1,000"
    " times with other random numbers, which changes no result: "
)
OFF = ". Each may be off by 40."


def found(
    firsts: dict[str, int],
    *,
    winners: int = 1,
    alike: tuple[tuple[str, ...], ...] = (),
    likely: tuple[str, ...] = ("a",),
) -> Certainty:
    """`firsts`: how often each team won, in the order of their ranks; so many of them are the
    winners."""
    teams = tuple(
        TeamCertainty(name, 1 if number <= winners else number, first, 1_000, 1, 3, 0)
        for number, (name, first) in enumerate(firsts.items(), start=1)
    )
    return Certainty(1_000, 4, teams, alike, likely)


CASES = {
    "always": (found({"a": 1_000, "b": 0}), "a won 1,000"),
    "not always": (found({"a": 912, "b": 20, "c": 68}), "a won 912 and c won 68"),
    "less often than another": (
        found({"a": 0, "b": 999, "c": 1}),
        "a won 0 and b won 999",
    ),
    "nearly never": (found({"a": 999, "b": 1}), "a won 999 and b won 1"),
    "two winners": (
        found({"a": 400, "b": 300, "c": 310}, winners=2),
        "a won 400, b won 300 and c won 310",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_sentence_tells_who_wins_with_other_random_numbers(case: str) -> None:
    given, shares = CASES[case]
    assert certainty_sentence(given) == PLAYED + shares + OFF
    assert certainty_facts(given).words == certainty_sentence(given)


@pytest.mark.parametrize(
    ("likely", "words"),
    [
        (("a", "c"), " In 95 of 100 the winner is one of these: a, c."),
        (("b",), " In 95 of 100 the winner is one of these: b."),
        (tuple("abcdefghi"), " In 95 of 100 the winner is one of 9 teams: those that win most."),
    ],
)
def test_pages_tell_among_whom_the_winner_nearly_always_is(
    likely: tuple[str, ...], words: str
) -> None:
    given = found({"a": 800, "b": 100, "c": 100}, likely=likely)
    assert certainty_facts(given).words == certainty_sentence(given) + words


def test_pages_tell_which_places_cannot_be_told_apart() -> None:
    words = certainty_facts(found({"a": 800, "b": 100, "c": 100}, alike=(("b", "c"),))).words
    assert words.endswith(" off by 40. Places 2 to 3 cannot be told apart.")


@pytest.mark.parametrize(
    ("game", "counted", "is_told"),
    [
        ("standoff", ("C",), True),
        ("cooperation", ("C",), True),
        ("cooperation", (), False),
        ("knobeln", ("C",), False),
    ],
)
def test_why_nobody_knows_how_sure_a_ranking_is(
    game: str, counted: tuple[str, ...], is_told: bool
) -> None:
    chosen = presets.settings(game, NOW)
    programs = chosen.programs.model_copy(update={"counted_languages": counted})
    told = why_no_certainty(game_of(chosen.game, programs).info, programs)
    assert told.startswith("How sure this ranking is was not computed.") is is_told
