"""A KNOBELN contest as a round robin, from `knobeln init` to the results, by the organizer's commands."""

import json
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from contest.model import RoundOutcome
from contest.store import results
from contest.store.results import Games
from knobeln.cli import main
from knobeln.context import ContestContext
from tests.support.contest_field import House, add_field

TEAMS = [f"team_{number:04}" for number in range(1, 13)]
PREFERENCES = ("DGP,GRG,RSM", "RSM", "GRP,GRR")


def knobeln(*words: object) -> str:
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result.output


def played(path: Path, house: House, *, self_play: bool) -> Path:
    """A contest of twelve house strategies that `knobeln run` has played to its end."""
    knobeln("init", path, "--beacon", "none")
    settings = (path / "contest.toml").read_text()
    changes = [
        ('format = "group-elimination"', 'format = "round-robin"'),
        ("group_min = 20", "group_min = 2"),
        ("group_max = 41", "group_max = 5"),  # sizes that would make groups, if there were any
        ("final_size = 41", "final_size = 3"),
        ("L = 1000", "L = 60"),
    ]
    if not self_play:
        changes += [("self_play = true", "self_play = false"), ("enabled = true", "enabled = false")]
    for before, after in changes:
        assert settings.count(f"\n{before}\n") == 1
        settings = settings.replace(f"\n{before}\n", f"\n{after}\n")
    (path / "contest.toml").write_text(settings)
    folder = ContestContext.open(path)
    add_field(folder, len(TEAMS), dict(islice(house.items(), len(TEAMS))), PREFERENCES)
    folder.store.close()
    knobeln("run", "--now", "--yes", "-C", path)
    return path


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory, house: House) -> Path:
    return played(tmp_path_factory.mktemp("contest") / "round robin", house, self_play=True)


@pytest.fixture(scope="module")
def without_self_play(tmp_path_factory: pytest.TempPathFactory, house: House) -> Path:
    return played(tmp_path_factory.mktemp("contest") / "as in 1993", house, self_play=False)


def shown(contest: Path) -> Any:
    return json.loads(knobeln("results", "--json", "-C", contest))


def stored(contest: Path) -> RoundOutcome:
    with ContestContext.open(contest).store.read() as tx:
        (final,) = results.finished_rounds(tx, Games.ALL)
    return final


def test_twelve_programs_play_one_group_that_is_the_final(contest: Path) -> None:
    facts = shown(contest)
    assert facts["phase"] == "finished"
    (final,) = facts["rounds"]
    (group,) = final["groups"]
    assert final["final"]
    assert sorted(group["plan"]["members"]) == TEAMS
    assert sorted(line["entry"] for line in group["standings"]) == TEAMS
    assert not any(line["advances"] for line in group["standings"])


def test_everyone_met_everyone_once(contest: Path, without_self_play: Path) -> None:
    for path, pairs in ((contest, combinations_with_replacement), (without_self_play, combinations)):
        counted = [m.pairing for g in stored(path).groups for m in g.matches if m.counted]
        assert sorted((each.players[0], each.players[1]) for each in counted) == sorted(pairs(TEAMS, 2))


def test_the_table_is_the_sum_of_all_games(contest: Path, without_self_play: Path) -> None:
    for path in (contest, without_self_play):
        points = dict.fromkeys(TEAMS, Fraction(0))
        for game in stored(path).groups[0].matches:
            share = Fraction(1, 2) if game.pairing.is_self else 1
            points[game.players[0]] += share * game.result.seats[0].points
            points[game.players[1]] += share * game.result.seats[1].points
        lines = shown(path)["rounds"][0]["groups"][0]["standings"]
        assert {line["entry"]: Fraction(line["half_points"], 2) for line in lines} == points
        better = {name: sum(other > points[name] for other in points.values()) for name in TEAMS}
        assert {line["entry"]: line["rank"] for line in lines} == {name: 1 + better[name] for name in TEAMS}
        assert len(set(points.values())) > 6


def test_the_evolution_is_computed_from_the_round_robin(contest: Path, without_self_play: Path) -> None:
    evolution = shown(contest)["evolution"]
    assert sorted(evolution["entries"]) == TEAMS
    assert evolution["generations"][0] == [5] * len(TEAMS)
    assert len(evolution["generations"]) > 2
    assert shown(without_self_play)["evolution"] is None


def test_the_reports_go_out_and_the_results_can_be_announced(contest: Path) -> None:
    boxes = {path.name.partition("@")[0]: len(list(path.glob("new/*"))) for path in contest.glob("mail/*")}
    assert boxes == {name: (3, 1, 2)[number % 3] for number, name in enumerate(TEAMS)}
    words = knobeln("announce", "--results", "-C", contest)
    assert "78 games of 60 throws each, played in 1 round" in " ".join(words.split())
    assert "team_0001" in words
