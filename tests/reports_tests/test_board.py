"""What the board for a projector shows, scene by scene."""

from dataclasses import replace

from contest.language import speaking
from contest.model import Standing
from reports.site import board
from reports.site.board import MAX_LINES, Scene
from reports.site.facts import SiteFacts
from reports.site.tables import Page
from tests.support import other_contests
from tests.support.site_files import before, during, facts_of, files_of, offering

INDEX = Page("index.html", "index", "Contest", {})


def scenes_of(facts: SiteFacts) -> tuple[Scene, ...]:
    with speaking(facts.settings.contest.language):
        page = board.board(INDEX, facts, ())
    shown = page.facts["scenes"]
    assert isinstance(shown, tuple)
    return shown


def titles(facts: SiteFacts) -> list[str]:
    return [scene.title for scene in scenes_of(facts)]


def test_after_the_contest_the_day_is_a_film_that_ends_with_the_winner(small: SiteFacts) -> None:
    found = titles(small)
    assert found[:3] == [small.settings.contest.title, "Round 1, group 1", "Round 1, group 2"]
    assert found[-3:] == ["Final", "The evolution", "The winner"]
    winner = scenes_of(small)[-1]
    assert [line.name for line in winner.lines] == [
        standing.entry for standing in small.ranking if standing.rank == 1
    ]


def test_lines_come_from_the_last_place_up_and_who_goes_on_is_marked(small: SiteFacts) -> None:
    group = next(scene for scene in scenes_of(small) if scene.title == "Round 1, group 1")
    standings = small.rounds[0].outcome.groups[0].standings
    assert group.reveals
    assert [line.name for line in group.lines] == [standing.entry for standing in standings]
    assert [line.goes_on for line in group.lines] == [standing.advances for standing in standings]


def test_while_the_contest_runs_the_board_turns_without_secrets(small: SiteFacts) -> None:
    running = during(small, 1)
    assert titles(running)[:2] == ["Round 1, group 1", "Round 1, group 2"]
    assert not any(scene.reveals for scene in scenes_of(running))
    page = files_of(running)["board.html"]
    assert 'name="renew"' in page
    assert "The winner" not in page


def test_nothing_is_shown_that_is_not_told(small: SiteFacts) -> None:
    assert titles(before(small)) == []
    assert titles(offering(small, "OWN", "DGP")) == []
    assert titles(during(small, 0)) == []


def test_a_knock_out_shows_its_matches_with_their_winners() -> None:
    played = other_contests.ultimate_tic_tac_toe(entries=4)
    facts = facts_of(played.settings, played.teams, played.history, played.ranking)
    first = scenes_of(facts)[1]
    assert first.lines
    assert all(line.value.startswith("against ") for line in first.lines)


def test_a_long_ranking_says_how_many_it_leaves_out(small: SiteFacts) -> None:
    last = small.ranking[-1]
    many: list[Standing] = [replace(last, entry=f"team_{number}", rank=7) for number in range(50)]
    long = replace(small, ranking=(*small.ranking, *many))
    final = next(scene for scene in scenes_of(long) if scene.title == "Final")
    assert len(final.lines) == MAX_LINES
    assert final.sentences == (f"and {len(small.ranking) + 50 - MAX_LINES} more",)
