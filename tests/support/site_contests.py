"""Contests that are really played, for their pages: what the tests share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

from click.testing import CliRunner

from knobeln.cli import main
from knobeln.cli.folder import ContestFolder

FORM = """\
mail-address: heavy@machine.domain.alfdkj
mail-preference: RSM
team-name: the_heavy_lords_of_knobeln
Organization: University of <b>Northeast</b> Sacrodata
team-members:
  Joe Cool, 45, professional systems programmer,
    20-year-experienced programmer
"""
TEAMS = 13
MakeContest = Callable[..., ContestFolder]


def knobeln(*words: object, stdin: bytes | None = None, code: int = 0) -> str:
    """What the command says."""
    result = CliRunner().invoke(main, [str(word) for word in words], input=stdin)
    assert result.exit_code == code, result.output + repr(result.exception)
    return result.output


def letter(subject: str, body: str) -> bytes:
    mail = EmailMessage()
    mail["From"] = "heavy@machine.domain.alfdkj"
    mail["To"] = "knobeln@localhost.example"
    mail["Subject"] = subject
    mail.set_content(body)
    return mail.as_bytes()


@dataclass(frozen=True)
class Played:
    """A contest that is over, its pages, and an authentification string that must not be in them."""

    folder: Path
    pages: Path
    secret: str
