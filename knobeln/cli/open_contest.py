"""The contest that a command is about."""

from __future__ import annotations

from knobeln.cli.contest_option import contest_path
from knobeln.context import ContestContext


def open_contest() -> ContestContext:
    """Open the contest in the folder of -C."""
    return ContestContext.open(contest_path())
