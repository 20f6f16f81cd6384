"""Whole contests of the other games by mail: 12 teams, from their letters to the reports in their boxes."""

from __future__ import annotations

import json
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default as modern
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from knobeln.cli import main
from knobeln.games import registered

# A knock-out of Ultimate Tic-Tac-Toe starts some ten thousand processes, which takes many minutes.
OTHERS = sorted(registered().keys() - {"knobeln", "ultimate-tic-tac-toe"})
REJECTED = {"syntax_errors_anonymous", "friends_of_the_punched_card"}


class Played:
    """A contest that was played, and what lies in the mailboxes."""

    def __init__(self, game: str, folder: Path) -> None:
        self.game, self.folder = game, folder
        words = ["demo", str(folder), "--game", game, "--seed", "a test"]
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, result.output

    def json(self, *words: str) -> Any:
        result = CliRunner().invoke(main, [*words, "--json", "-C", str(self.folder)])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    @property
    def teams(self) -> dict[str, Any]:
        return {team["name"]: team for team in self.json("teams")}

    def mails(self, team: str) -> list[EmailMessage]:
        found = sorted(self.folder.glob(f"mail/{team}@*/new/*"), key=lambda path: path.stat().st_mtime_ns)
        return [message_from_bytes(path.read_bytes(), policy=modern) for path in found]


def text_of(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    assert part is not None
    content: str = part.get_content()
    return content


@pytest.mark.slow
@pytest.mark.parametrize("game", OTHERS)
def test_a_contest_of_twelve_from_the_forms_to_the_reports(tmp_path: Path, game: str) -> None:
    played = Played(game, tmp_path / "contest")
    teams = played.teams
    assert len(teams) == 12
    out = REJECTED | ({"always_in_trouble"} if game == "hog" else set())
    assert {name for name, team in teams.items() if team["latest_good"] is None} == out
    for name, team in teams.items():
        mails = played.mails(name)
        subjects = [str(mail["Subject"]) for mail in mails]
        assert "welcome" in subjects[0], subjects
        assert ("accepted" in subjects[1]) == (name not in out), subjects
        assert len({mail["Message-ID"] for mail in mails}) == len(mails)
        assert all(len(line) <= 72 for mail in mails for line in text_of(mail).splitlines()), subjects
        if name not in out and team["preferences"]:
            assert len(mails) > 2, subjects
    _check_results(played, set(teams) - out)
    assert not played.json("outbox", "list", "--state", "ready")


def _check_results(played: Played, playing: set[str]) -> None:
    rounds = played.json("results")["rounds"]
    assert rounds[-1]["final"]
    members = {name for group in rounds[0]["groups"] for name in group["members"]}
    assert members == playing
    for each in rounds:
        for group in each["groups"]:
            lines = group["standings"]
            assert {line["team"] for line in lines} == set(group["members"])
            assert not any(line["disqualified"] for line in lines)
    announced = CliRunner().invoke(main, ["results", "--announce", "-C", str(played.folder)])
    assert announced.exit_code == 0, announced.output
    assert any(name in announced.output for name in playing)
