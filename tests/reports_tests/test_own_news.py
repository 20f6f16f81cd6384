"""What a report tells a team first: its place, its best and its worst result."""

import pytest

from contest.language import speaking
from contest.model import Standing
from mailserver.commands import COMMANDS
from reports.kinds.base import own_news
from reports.render import Templates
from reports.results import GameLine, GameStatus
from reports.scores import Score
from reports.summary import Place, places_in
from reports.text import WIDTH
from tests.support.mail_world import make_settings


def score(opponent: str, own: int, theirs: int) -> Score:
    line = GameLine(opponent, False, 1, 1, GameStatus.COUNTED, own, theirs, (), (), "")
    return Score(opponent, False, (line,))


AT = Place(Standing("me", 30, 1, 0, False, True), 0, 1, 3, False, in_group=False)
GAMES = [score("wide", 8_208, 1_849), score("rich", 8_317, 3_518), score("even", 900, 950)]


@pytest.mark.parametrize(
    ("by_lead", "best", "worst"), [(False, "rich", "even"), (True, "wide", "even")]
)
def test_the_best_result_is_what_the_ranking_counts(by_lead: bool, best: str, worst: str) -> None:
    news = own_news(AT, 1, "", GAMES, by_lead=by_lead)
    named = [each.opponent for each in (news["best"], news["worst"]) if isinstance(each, Score)]
    assert named == [best, worst]


def test_results_that_are_worth_the_same_have_no_best_one() -> None:
    news = own_news(AT, 1, "", [score("a", 100, 5), score("b", 100, 90)])
    assert (news["best"], news["worst"]) == (None, None)


def test_a_place_is_counted_among_those_that_have_one() -> None:
    table = [
        Standing("first", 9, 1, 0, False, True),
        Standing("second", 5, 2, 0, False, True),
        Standing("out", 7, None, 2, True, False),
    ]
    at = places_in(table, in_group=False)["second"]
    assert (at.nth, at.of, at.has_unranked) == ("2nd", 2, True)
    assert not places_in(table[:2], in_group=False)["second"].has_unranked


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("game", ["knobeln", "hog", "bid-tac-toe"])
def test_no_line_of_a_command_must_be_broken(game: str, language: str) -> None:
    settings = make_settings(game={"name": game}, contest={"language": language})
    templates = Templates(settings, None)
    names = [command.name for command in COMMANDS if command.subjects(settings)]
    with speaking(language):
        unfolded = [
            templates._of_now().part(f"commands/{name}").render(form="", in_detail=True)
            for name in names
        ]
    assert [line for text in unfolded for line in text.split("\n") if len(line) > WIDTH] == []
