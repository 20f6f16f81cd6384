"""Contests that are really played, for their pages: what the tests share."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from knobeln.context import ContestContext
from tests.support import command_line

ADDRESS = "heavy@machine.domain.alfdkj"
FORM = f"""\
mail-address: {ADDRESS}
mail-preference: RSM
team-name: the_heavy_lords_of_knobeln
Organization: University of <b>Northeast</b> Sacrodata
team-members:
  Joe Cool, 45, professional systems programmer,
    20-year-experienced programmer
"""
TEAMS = 13
MakeContest = Callable[..., ContestContext]


def knobeln(*words: object, stdin: bytes | None = None, code: int = 0) -> str:
    """What the command says."""
    return command_line.knobeln(*words, stdin=stdin, code=code).output


@dataclass(frozen=True)
class Played:
    """A contest that is over, its pages, and an authentification string that must not be in
    them."""

    folder: Path
    pages: Path
    secret: str
