"""The contest that a command is about."""

from __future__ import annotations

from knobeln import log_setup
from knobeln.cli.contest_option import contest_path
from knobeln.context import ContestContext


def open_contest() -> ContestContext:
    """Open the contest in the folder of -C, and log in the form that its settings want."""
    contest = ContestContext.open(contest_path())
    log_setup.use(contest.settings.log)
    return contest
