"""The games worth a look, and what a contest tells of them."""

from collections.abc import Sequence
from typing import Any

import pytest

from contest.games.registry import game_of
from contest.model import GroupPlan
from reports.highlights import (
    Highlight,
    Meeting,
    closest,
    highlights,
    meetings,
    upsets,
)
from reports.kinds import reports
from reports.site.pages import pages, plan
from tests.support import other_contests
from tests.support.site_files import facts_of, files_of, offering

PLAN = GroupPlan(1, 1, (), ())


def met(winner: str, loser: str, *points: int) -> Meeting:
    return Meeting(PLAN, (winner, loser), (points[0], points[1]), ())


# --- results --------------------------------------------------------------------------------------
def test_the_closest_meeting_has_the_smallest_margin_then_the_most_points_if_any_is_closer() -> (
    None
):
    found = [met("a", "b", 8, 2), met("a", "c", 4, 2), met("b", "c", 10, 8), met("c", "d", 6, 6)]
    assert closest(found) == found[2]
    assert closest([met("a", "b", 2, 0), met("b", "c", 2, 0), met("c", "d", 1, 1)]) is None
    assert closest([]) is None


def test_the_greatest_upset_is_over_the_most_ranks() -> None:
    ranks = {"a": 1, "b": 2, "c": 3, "d": 4}
    found = [met("a", "d", 9, 0), met("d", "b", 5, 4), met("c", "a", 5, 4), met("d", "a", 3, 3)]
    found += [met("d", "out", 9, 0), met("c", "b", 9, 0)]
    assert [m.players for m in upsets(found, ranks, 9)] == [("d", "b"), ("c", "a"), ("c", "b")]


def test_meetings_are_the_sums_of_the_games_that_count(contest: Any) -> None:
    by_players = {frozenset(m.players): m for m in meetings([contest.first, contest.final])}
    for outcome in (contest.first, contest.final):
        for group in outcome.groups:
            for match in group.matches:
                if match.counted and not match.pairing.is_self and group.plan.round == 2:
                    meeting = by_players[frozenset(match.players)]
                    assert sorted(meeting.points) == sorted(
                        2 * s.points for s in match.result.seats
                    )
                    assert meeting.points[0] >= meeting.points[1]
    assert not any("zero_thrower" in m.players for m in by_players.values())


# --- a contest ------------------------------------------------------------------------------------
def found_in(played: other_contests.Played) -> tuple[Highlight, ...]:
    return highlights(
        played.history, played.ranking, game_of(played.settings.game, played.settings.programs).info
    )


def test_a_game_of_many_ends_in_a_duel() -> None:
    (duel,) = found_in(other_contests.standoff())
    assert duel.turn == sorted(seat.last_turn for seat in duel.match.result.seats)[-3] + 1


@pytest.mark.parametrize(
    ("codes", "shown"),
    [(("OWN",), False), (("GRR",), False), ((), False), (("GRG",), True), (reports(), True)],
)
def test_only_what_everybody_may_know_is_a_highlight(codes: Sequence[str], shown: bool) -> None:
    played = other_contests.cooperation()
    over = facts_of(played.settings, played.teams, played.history, played.ranking)
    text = files_of(offering(over, *codes))["index.html"]
    assert ("<h3>Closest game</h3>" in text) is shown
    # Points alone lead nowhere: the moves are for the teams.
    assert ("replay.html?game=" in text) is (shown and "DGP" in codes)
    running = facts_of(played.settings, played.teams, played.history)
    assert "Closest game" not in files_of(running)["index.html"]


def test_a_knock_out_that_tells_its_games_but_no_ranking_has_no_highlight() -> None:
    played = other_contests.ultimate_tic_tac_toe()
    over = facts_of(played.settings, played.teams, played.history, played.ranking)
    for codes, shown in ((("BRK", "GRP"), False), (("BRK", "GRP", "RSM"), True)):
        facts = offering(over, *codes)
        front = next(iter(pages(facts, plan(facts))))
        assert facts.shows.games
        assert bool(front.facts["highlights"]) is shown
