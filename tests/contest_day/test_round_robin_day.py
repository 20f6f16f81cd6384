"""A KNOBELN contest as a round robin with self games, from the organizer's `knobeln run` to the results."""

import json
from fractions import Fraction
from itertools import combinations_with_replacement, islice
from typing import Any

import pytest

from contest.model import GroupOutcome
from contest.store import results
from contest.store.results import Games
from knobeln.context import ContestContext
from tests.support.command_line import knobeln_in
from tests.support.contest_field import House, make_contest, settings

TEAMS = [f"team_{number:04}" for number in range(1, 13)]
PREFERENCES = ("DGP,GRG,RSM", "RSM", "GRP,GRR")


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory, house: House) -> ContestContext:
    """A contest of twelve house strategies that `knobeln run` has played to its end."""
    sizes = {"group_min": 2, "group_max": 5, "final_size": 3}  # that would make groups, if there were any
    programs = dict(islice(house.items(), len(TEAMS)))
    path = tmp_path_factory.mktemp("contest") / "round robin"
    contest = make_contest(path, len(TEAMS), programs, settings(format="round-robin", **sizes), PREFERENCES)
    knobeln_in(path, "run", "--now", "--yes")
    return contest


def shown(contest: ContestContext) -> Any:
    return json.loads(knobeln_in(contest.path, "results", "--json").stdout)


def stored(contest: ContestContext) -> GroupOutcome:
    with contest.store.read() as tx:
        ((group,),) = (each.groups for each in results.finished_rounds(tx, Games.ALL))
    return group


def test_twelve_programs_play_one_group_that_is_the_final_everyone_with_everyone_once(contest) -> None:
    facts = shown(contest)
    assert facts["phase"] == "finished"
    (final,) = facts["rounds"]
    (group,) = final["groups"]
    assert final["final"]
    assert sorted(group["plan"]["members"]) == sorted(line["entry"] for line in group["standings"]) == TEAMS
    assert not any(line["advances"] for line in group["standings"])
    counted = [match.pairing.players for match in stored(contest).matches if match.counted]
    assert sorted(tuple(players[:2]) for players in counted) == sorted(
        combinations_with_replacement(TEAMS, 2)
    )


def test_the_table_is_the_sum_of_all_games(contest: ContestContext) -> None:
    points = dict.fromkeys(TEAMS, Fraction(0))
    for game in stored(contest).matches:
        share = Fraction(1, 2) if game.pairing.is_self else 1
        for seat in (0, 1):
            points[game.players[seat]] += share * game.result.seats[seat].points
    lines = shown(contest)["rounds"][0]["groups"][0]["standings"]
    assert {line["entry"]: Fraction(line["half_points"], 2) for line in lines} == points
    better = {name: sum(other > points[name] for other in points.values()) for name in TEAMS}
    assert {line["entry"]: line["rank"] for line in lines} == {name: 1 + better[name] for name in TEAMS}
    assert len(set(points.values())) > 6


def test_the_evolution_is_computed_from_it_and_the_reports_go_out(contest: ContestContext) -> None:
    evolution = shown(contest)["evolution"]
    assert sorted(evolution["entries"]) == TEAMS
    assert evolution["generations"][0] == [5] * len(TEAMS)
    assert len(evolution["generations"]) > 2
    boxes = {box.name.partition("@")[0]: len(list(box.glob("new/*"))) for box in contest.path.glob("mail/*")}
    assert boxes == {name: (3, 1, 2)[number % 3] for number, name in enumerate(TEAMS)}
    words = " ".join(knobeln_in(contest.path, "announce", "--results").stdout.split())
    assert "78 games of 1,000 throws each, played in 1 round" in words
    assert "team_0001" in words
