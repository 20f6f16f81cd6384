"""The table of a season: points, ranks, strengths."""

from collections.abc import Mapping

import pytest

from contest.model import SeasonLine
from tests.support.contest_field import House, settings
from tournament import season
from tournament.runners import open_runner
from tournament.season import Played, season_table

SETTINGS = settings(workers=1)


def lines_of(*places: Mapping[str, int]) -> dict[str, SeasonLine]:
    """Of a season where all play the same program, so that there are no strengths."""
    table = season_table(
        [Played(each, dict.fromkeys(each, "x")) for each in places], {}, SETTINGS, open_runner
    )
    assert table.unknown == "there is only one version"
    return {line.team: line for line in table.lines}


def test_a_team_has_a_point_for_each_team_behind_it() -> None:
    lines = lines_of({"a": 1, "b": 2, "c": 2, "d": 4}, {"a": 2, "b": 1, "e": 3})
    assert {name: line.points for name, line in lines.items()} == {
        "a": 4,
        "b": 3,
        "c": 1,
        "d": 0,
        "e": 0,
    }
    assert lines["e"].places == (None, 3)
    assert [line.rank for line in lines.values()] == [1, 2, 3, 4, 5]


def test_of_equals_the_one_is_ahead_that_was_ahead_in_the_last() -> None:
    lines = lines_of({"a": 1, "b": 2}, {"a": 2, "b": 1})
    assert [(line.team, line.rank) for line in lines.values()] == [("b", 1), ("a", 2)]
    assert [line.rank for line in lines_of({"a": 1, "b": 1}).values()] == [1, 1]


def test_every_version_meets_every_other(house: House) -> None:
    built = [each.image for each in list(house.first(3).values())]
    images = {image.digest: image.to_bytes() for image in built if image}
    first, second, third = images
    played = [
        Played({"a": 1, "b": 2}, {"a": first, "b": second}),
        Played({"a": 1, "b": 2}, {"a": third, "b": second}),
    ]
    table = season_table(played, images, SETTINGS, open_runner)
    assert (table.versions, table.games, table.unknown) == (3, 3, "")
    a, b = (next(line for line in table.lines if line.team == team) for team in "ab")
    assert b.strengths[0] == b.strengths[1]
    assert b.gain == 0
    assert a.strength == a.strengths[0]
    assert a.strengths[0] is not None
    assert a.strengths[1] is not None
    assert a.gain == pytest.approx(a.strengths[1] - a.strengths[0])
    again = season_table(played[::-1], images, SETTINGS, open_runner)
    assert {line.team: line.strengths[::-1] for line in again.lines} == {
        line.team: line.strengths for line in table.lines
    }


def test_too_many_games_are_not_played(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(season, "MAX_GAMES", 2)
    played = [Played({"a": 1, "b": 2, "c": 3}, {"a": "1", "b": "2", "c": "3"})]
    table = season_table(played, {}, SETTINGS, open_runner)
    assert table.unknown == "3 versions have 3 games, and at most 2 are played"
    assert {line.strength for line in table.lines} == {None}


def test_without_the_builds_there_are_no_strengths() -> None:
    table = season_table(
        [Played({"a": 1, "b": 2}, {"a": "1", "b": "2"})], {}, SETTINGS, open_runner
    )
    assert table.unknown == "some builds are missing"
