"""The games worth a look: each measure against a slow and simple one, and what a contest tells of them."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.model import GroupPlan, Match
from contest.schema.sections import Reports
from reports.highlights import (
    Meeting,
    Search,
    closest,
    greatest_exploitation,
    greatest_peace,
    is_scored_by_turns,
    meetings,
    turn_of_no_return,
    upsets,
)
from reports.kinds import reports
from reports.site.facts import SiteFacts
from tests.support import other_contests
from tests.support.site_files import facts_of, highlights_of

PLAN = GroupPlan(1, 1, (), ())


def met(winner: str, loser: str, *points: int) -> Meeting:
    return Meeting(PLAN, (winner, loser), (points[0], points[1]), ())


# --- results -----------------------------------------------------------------------------------------------
def test_the_closest_meeting_has_the_smallest_margin_then_the_most_points_if_any_is_closer() -> None:
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
                    assert sorted(meeting.points) == sorted(2 * s.points for s in match.result.seats)
                    assert meeting.points[0] >= meeting.points[1]
    assert not any("zero_thrower" in m.players for m in by_players.values())


# --- courses -----------------------------------------------------------------------------------------------
def course(draw: random.Random, turns: int) -> tuple[list[int], list[int]]:
    """What two won in each turn; mostly one of them."""
    first = [draw.choice((0, 0, 5, 13)) for _ in range(turns)]
    return first, [draw.choice((0, 4, 13)) if not own else 0 for own in first]


def stretches(turns: int) -> Sequence[tuple[int, int]]:
    return [(a, b) for a in range(turns) for b in range(a + 1, turns + 1)]


@pytest.mark.parametrize("seed", range(20))
def test_the_greatest_peace_is_that_of_a_search_through_all_stretches(seed: int) -> None:
    first, second = course(random.Random(seed), 40)  # noqa: S311
    best, most = max(first + second), 0
    for a, b in stretches(40):
        leads = [sum(first[a:t]) - sum(second[a:t]) for t in range(a, b + 1)]
        if max(leads) - min(leads) <= best:
            most = max(most, sum(first[a:b]) + sum(second[a:b]))
    found = greatest_peace((first, second))
    assert found.points == most
    inside = slice(found.first - 1, found.last)
    assert sum(first[inside]) + sum(second[inside]) == most


@pytest.mark.parametrize("seed", range(20))
def test_the_greatest_exploitation_is_that_of_a_search_through_all_stretches(seed: int) -> None:
    sides = course(random.Random(seed), 40)  # noqa: S311
    most = max(
        (sum(sides[seat][a:b]) for a, b in stretches(40) for seat in (0, 1) if not any(sides[1 - seat][a:b])),
        default=0,
    )
    found = greatest_exploitation(sides)
    if found is None:  # too short to be worth telling
        assert most <= 2 * 13
        return
    assert found.points == most
    assert found.seat is not None
    inside = slice(found.first - 1, found.last)
    assert sum(sides[found.seat][inside]) == most
    assert not any(sides[1 - found.seat][inside])


def test_perfect_peace_lasts_the_whole_game() -> None:
    found = greatest_peace(([13, 0] * 20, [0, 13] * 20))
    assert (found.first, found.last, found.points) == (1, 40, 40 * 13)


def test_the_lead_is_taken_for_good_in_the_turn_after_which_it_is_never_lost() -> None:
    assert turn_of_no_return(([1, 0, 1, 1], [0, 1, 0, 0]), 0) == 3
    assert turn_of_no_return(([1, 1], [0, 0]), 0) == 1
    assert turn_of_no_return(([0, 2], [1, 0]), 0) == 2
    assert turn_of_no_return(([1], [1]), 0) == 0


def test_a_game_that_is_decided_at_its_end_is_not_scored_by_turns() -> None:
    assert not is_scored_by_turns(([0, 0, 0, 100], [0, 0, 0, 0]))
    assert is_scored_by_turns(([3, 0, 3, 0], [0, 0, 0, 5]))


# --- a contest ---------------------------------------------------------------------------------------------
def of_game(played: other_contests.Played, **changes: Any) -> SiteFacts:
    return facts_of(played.settings, played.teams, played.history, played.ranking, **changes)


def test_cooperation_has_its_peace_and_its_exploitation() -> None:
    found = {each.title: each for each in highlights_of(of_game(other_contests.cooperation()))}
    assert set(found["Greatest peace"].match.result.moves) == {("C", "C")}
    exploitation = found["Most beautiful exploitation"]
    assert set(exploitation.match.players) == {"always_betray", "always_cooperate"}
    assert exploitation.sentence.startswith("From round 1 to 10 always_betray won 30 points")


def test_where_points_come_at_the_end_the_shortest_and_the_longest_game_count() -> None:
    facts = of_game(other_contests.ultimate_tic_tac_toe())
    found = {each.title: each for each in highlights_of(facts)}
    clean = [
        m.result.turns
        for outcome in facts.history
        for group in outcome.groups
        for m in group.matches
        if m.counted and m.result.is_flawless
    ]
    assert found["Longest game"].match.result.turns == max(clean)
    assert found["Quickest win"].match.result.turns >= min(clean)


def test_a_game_of_many_ends_in_a_duel() -> None:
    (duel,) = highlights_of(of_game(other_contests.standoff()))
    assert duel.turn == sorted(seat.last_turn for seat in duel.match.result.seats)[-3] + 1


def only(*codes: str) -> dict[str, object]:
    return {"reports": Reports(offered=codes)}


def test_only_what_everybody_may_know_is_a_highlight() -> None:
    facts = of_game(other_contests.cooperation())

    def titles(*codes: str) -> set[str]:
        changed = replace(facts, settings=facts.settings.model_copy(update=only(*codes)))
        return {each.title for each in highlights_of(changed)}

    assert titles("OWN") == titles("GRR") == titles() == set()
    assert titles("GRG") == {"Closest game"}  # points, and no moves
    assert len(titles(*reports())) == 3


def test_a_running_contest_has_none() -> None:
    played = other_contests.cooperation()
    assert highlights_of(facts_of(played.settings, played.teams, played.history)) == ()


def test_knobeln_measures_the_courses_that_it_is_handed(settings: Settings, contest: Any) -> None:
    game = game_of(settings.game, settings.programs).info
    looking = Search((contest.first, contest.final), contest.ranking, game, moves=True)
    plan = contest.final.groups[0].plan
    games: list[Match] = list(looking.wanted)
    of_final = [m for m in contest.final.groups[0].matches if m.counted and not m.pairing.is_self]
    assert all(any(m is other for other in games) for m in of_final)
    assert not any(m.pairing.is_self for m in games)
    for number, match in enumerate(of_final):
        looking.see(plan, match, ([13, 0] * (10 + number), [0, 13] * (10 + number)))
    peace = next(each for each in looking.found if each.title == "Greatest peace")
    assert peace.match is of_final[-1]
    assert f"won {13 * 2 * (9 + len(of_final)):,} points together" in peace.sentence
