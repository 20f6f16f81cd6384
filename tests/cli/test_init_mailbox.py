"""`knobeln init --mailbox`: what can be said without any server."""

from pathlib import Path

import pytest

from tests.support.command_line import knobeln


@pytest.mark.parametrize(
    ("mailbox", "told"),
    [
        ("somebody@outlook.com", "lets no personal account register a program"),
        ("somebody@hotmail.de", "take a mailbox at another provider"),
        ("somebody@club.example@", "is no mail address"),
        ("somebody", "is no mail address"),
        ("", "is no mail address"),
        ("spring@gmx.de", "name an address where you read mail yourself: --organizer"),
    ],
)
def test_what_cannot_be_is_said_before_a_password_is_asked_for(
    tmp_path: Path, mailbox: str, told: str
) -> None:
    said = knobeln("init", tmp_path / "spring", "--mailbox", mailbox, code=1).output
    assert told in " ".join(said.split())
    assert not (tmp_path / "spring" / "contest.toml").exists()
