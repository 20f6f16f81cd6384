"""Whole contests of the other games by mail: 12 teams, from their letters to the reports in their
boxes."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from contest.config.settings import Settings
from contest.games.registry import registered
from knobeln.cli import demo, main
from knobeln.day import demo_teams
from knobeln.day.demo_teams import DemoTeam
from tests.support.mail_world import body_of, demo_mails, too_wide
from tests.support.oci_images import Made, archive, cache_folder, member, static_player, tar

OTHERS = sorted(registered().keys() - {"knobeln"})
SHORT_DAYS = ("cooperation", "hog")  # the others are held at night
LONG_THOUGHT = {"alpha_beta.c": b": 0.5));", "playouts.js": b", 0.5)));"}  # seconds for each move
WITH_IMAGE = {"cooperation", "cooperation-legacy"}
REJECTED = {"syntax_errors_anonymous", "friends_of_the_punched_card"}


class Played:
    """A contest that was played, and what lies in the mailboxes."""

    def __init__(self, game: str, folder: Path) -> None:
        self.game, self.folder = game, folder
        words = ["demo", str(folder), "--game", game, "--teams", "12", "--seed", "a test"]
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, result.output

    def json(self, *words: str) -> Any:
        result = CliRunner().invoke(main, [*words, "--json", "-C", str(self.folder)])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    @property
    def teams(self) -> dict[str, Any]:
        return {team["name"]: team for team in self.json("teams")}


@pytest.fixture
def image() -> Iterator[bytes]:
    """A small archive of an image whose player betrays; unpacked images have a place of their
    own."""
    with cache_folder() as place, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(place))
        layer = tar([member("player", static_player(place))])
        yield archive(Made([layer], {"Entrypoint": ["/player", "always"]}).docker_files())


@pytest.fixture
def quick_teams(image: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the demonstration's teams always_betray sends an image, and nobody thinks for long."""

    def sent(team: DemoTeam) -> dict[str, bytes]:
        if team.name == "always_betray":
            return {"player.tar": image}
        return {name: _hurried(name, data) for name, data in team.files.items()}

    def teams_of(settings: Settings, count: int) -> tuple[DemoTeam, ...]:
        return tuple(
            replace(team, files=sent(team)) for team in demo_teams.demo_teams(settings, count)
        )

    monkeypatch.setattr(demo, "demo_teams", teams_of)


def _hurried(name: str, program: bytes) -> bytes:
    """The same program, if need be with a hundredth of a second for each move in place of half a
    second."""
    if name not in LONG_THOUGHT:
        return program
    assert program.count(LONG_THOUGHT[name]) == 1
    return program.replace(LONG_THOUGHT[name], LONG_THOUGHT[name].replace(b"5", b"01", 1))


@pytest.mark.slow
@pytest.mark.usefixtures("quick_teams")
@pytest.mark.parametrize(
    "game",
    [pytest.param(each, marks=[] if each in SHORT_DAYS else pytest.mark.night) for each in OTHERS],
)
def test_a_contest_of_twelve_from_the_forms_to_the_reports(tmp_path: Path, game: str) -> None:
    played = Played(game, tmp_path / "contest")
    teams = played.teams
    assert len(teams) == 12
    out = REJECTED | ({"always_in_trouble"} if game == "hog" else set())
    assert {name for name, team in teams.items() if team["latest_good"] is None} == out
    for name, team in teams.items():
        mails = demo_mails(played.folder, name)
        subjects = [str(mail["Subject"]) for mail in mails]
        assert "welcome" in subjects[0], subjects
        assert ("accepted" in subjects[1]) == (name not in out), subjects
        assert len({mail["Message-ID"] for mail in mails}) == len(mails)
        assert [line for mail in mails for line in too_wide(body_of(mail))] == []
        if name not in out and team["team"]["registration"]["preferences"]:
            assert len(mails) > 2, subjects
    assert ("player.tar" in {sent["program"] for sent in played.json("programs")}) == (
        game in WITH_IMAGE
    )
    _check_results(played, set(teams) - out)
    assert not played.json("mail", "--state", "ready")


def _check_results(played: Played, playing: set[str]) -> None:
    rounds = played.json("results")["rounds"]
    assert rounds[-1]["plan"]["final"]
    assert {name for group in rounds[0]["groups"] for name in group["plan"]["members"]} == playing
    for each in rounds:
        for group in each["groups"]:
            lines = group["standings"]
            assert {line["entry"] for line in lines} == set(group["plan"]["members"])
            assert not any(line["disqualified"] for line in lines)
    announced = CliRunner().invoke(main, ["announce", "--results", "-C", str(played.folder)])
    assert announced.exit_code == 0, announced.output
    assert any(name in announced.output for name in playing)
