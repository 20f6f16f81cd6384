"""`why`: which subjects ask what decided a game, and who may ask for whose."""

from itertools import combinations

import pytest

from contest.config.settings import Settings
from knobeln import presets
from mailserver.commands import recognise, why
from reports.site.facts import disclosure
from tests.support.mail_world import OPENS, make_settings

CODES = ("GRG", "DGP", "GRP", "BRK", "WHY", "RSM")
OFFERS = [chosen for count in range(len(CODES) + 1) for chosen in combinations(CODES, count)]

ASKED = {
    "why": (),
    "Why?": (),
    "WHY heavy_lords": ("heavy_lords",),
    "Re: why heavy_lords": ("heavy_lords",),
    "[EXTERNAL] why": (),
    "why did I lose?": (),
    "Why did we lose": (),
    "Why did heavy_lords lose?": ("heavy_lords",),
    "Warum haben wir verloren?": (),
    "warum hat heavy_lords verloren": ("heavy_lords",),
    'why "heavy_lords"': ("heavy_lords",),
}
OTHERS = (
    "why was my program rejected?",
    "Why did my registration fail",
    "why did you lose my letter",
    "why not compile this program",
    "whynot",
    "reason why",
    "please compile why",
)


@pytest.mark.parametrize("subject", ASKED)
def test_a_subject_asks_what_decided_a_game(subject: str) -> None:
    command, arguments = recognise(subject, make_settings())
    assert (command.name, arguments) == ("why", ASKED[subject])


@pytest.mark.parametrize("subject", OTHERS)
def test_other_questions_are_none_about_a_game(subject: str) -> None:
    assert recognise(subject, make_settings()).command.name != "why"


@pytest.mark.parametrize("game", ["knobeln", "ultimate-tic-tac-toe"])
def test_anybody_may_ask_for_any_team_where_pages_tell_all_moves(game: str) -> None:
    contest = make_settings() if game == "knobeln" else presets.settings(game, OPENS)
    for offered in OFFERS:
        told = disclosure(offered, programs=False)
        assert why.tells_all(offering(contest, offered)) == told.moves, offered


def test_in_hog_it_is_enough_that_pages_tell_all_points() -> None:
    contest = presets.settings("hog", OPENS)
    for offered in OFFERS:
        told = disclosure(offered, programs=False)
        assert why.tells_all(offering(contest, offered)) == told.games, offered


def offering(contest: Settings, codes: tuple[str, ...]) -> Settings:
    return contest.changed(reports={"offered": codes})


def test_a_contest_that_tells_nobody_its_games_has_no_such_command() -> None:
    silent = offering(make_settings(), ("RSM", "GRR"))
    assert recognise("why", silent).command.name == "unknown"
    assert why.COMMAND.subjects(silent) == ()
