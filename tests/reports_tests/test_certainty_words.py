"""What a spectator reads about contests without one of the teams."""

from __future__ import annotations

import pytest

from contest import presets
from contest.games.registry import game_of
from contest.model import Certainty, OtherWinner, TeamCertainty
from reports.certainty import certainty_facts, why_no_certainty
from tests.support.contest_field import NOW


def found(
    without: dict[str, str], *, firsts: int = 1, left_out: int | None = None, finals: int = 100
) -> Certainty:
    """Of twelve teams, `a` to `l`. `without`: who would have won, by who is missing; one letter for each."""
    teams = tuple(
        TeamCertainty(name, 1 if number <= firsts else number, 0, finals, 1, 12, 0)
        for number, name in enumerate("abcdefghijkl", start=1)
    )
    others = tuple(OtherWinner(name, tuple(winners)) for name, winners in without.items())
    number = 12 - firsts if left_out is None else left_out
    return Certainty(100, 10, teams, (), number, others, (), ())


QUESTION = "Does the first place depend on who else takes part? The contest was played "
ELEVEN = (
    QUESTION + "11 more times from the same seed, and each time another team was left out, never the winner."
)
CASES = {
    "no difference": (found({}), f"{ELEVEN} That made no difference."),
    "one": (found({"d": "b"}), f"{ELEVEN} Without d, b would have won."),
    "several": (
        found({"d": "b", "e": "c", "f": "b", "g": "b"}),
        f"{ELEVEN} Without d, f or g, b would have won. Without e, c would have won.",
    ),
    "a tie": (found({"d": "ab"}), f"{ELEVEN} Without d, a and b would have shared the first place."),
    "nobody": (found({"d": ""}), f"{ELEVEN} Without d, nobody would have won."),
    "no tie any more": (
        found({"d": "b"}, firsts=2),
        QUESTION
        + "10 more times from the same seed, and each time another team was left out, never a winner. "
        "Without d, b would have won alone.",
    ),
    "another draw": (
        found({"d": "b"}, finals=50),
        f"{ELEVEN} Without d, b would have won. With one team fewer the draw is different, too.",
    ),
    "many": (
        found(dict(zip("cdefghijk", ("b", "l", "b", "bc", "b", "k", "l", "j", "i"), strict=True))),
        f"{ELEVEN} In 9 of these contests another team won: b 3 times, l 2 times, b and c once and others 3 "
        "times.",
    ),
    "all": (
        found(dict.fromkeys("bcdefghijkl", "z")),
        f"{ELEVEN} In all of these contests another team won: z 11 times.",
    ),
    "not all": (
        found({}, left_out=3),
        QUESTION
        + "3 more times from the same seed, and each time another team was left out, never the winner. To "
        "leave out all 11 others would take too long, so these were the first 3 of them. That made no "
        "difference.",
    ),
    "one only": (
        found({}, left_out=1),
        QUESTION
        + "1 more time from the same seed, and each time another team was left out, never the winner. To "
        "leave out all 11 others would take too long, so this was the first of them. That made no "
        "difference.",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_whose_absence_matters_is_told_in_sentences(case: str) -> None:
    given, sentences = CASES[case]
    _, paragraph = certainty_facts(given).paragraphs
    assert paragraph == sentences


def test_where_nobody_could_be_left_out_nothing_is_said() -> None:
    assert len(certainty_facts(found({}, left_out=0)).paragraphs) == 1


@pytest.mark.parametrize(
    ("game", "clock", "reason"),
    [
        ("standoff", "fuel", "only in games of two players"),
        ("bid-tac-toe", "fuel", "may learn from them"),
        ("cooperation", "fuel", "the time of some programs is not counted"),
        ("cooperation", "cpu", ""),
        ("knobeln", "fuel", ""),
    ],
)
def test_why_nobody_knows_how_sure_a_ranking_is(game: str, clock: str, reason: str) -> None:
    chosen = presets.settings(game, NOW)
    programs = chosen.programs.model_copy(update={"clock": clock})
    told = why_no_certainty(game_of(chosen.game, programs).info, programs)
    assert reason in told
    assert bool(told) == bool(reason)
