"""`knobeln beacon`."""

from __future__ import annotations

import errno
from pathlib import Path

import click

from contest.beacon import MAX_NUMBER_CHARS
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import organizer_actions, print_outcome
from knobeln.cli.open_contest import open_contest


@click.command(cls=ContestCommand)
@click.argument("value", metavar="FILE|VALUE")
def beacon(value: str) -> None:
    """Hand in the public number for which the contest waits.

    It is in FILE, or it is VALUE itself: the JSON of a round of drand, the numbers of the lottery, or any
    text, as `tournament.beacon` says. Nobody can change it afterwards.
    """
    text, source = _read(value)
    with organizer_actions(open_contest()) as organizer:
        done = organizer.hand_in_number(text, source)
    print_outcome(done)


def _read(value: str) -> tuple[str, str]:
    """The text, and where it comes from."""
    try:
        with open(value, encoding="utf-8", errors="replace") as file:
            return file.read(MAX_NUMBER_CHARS + 1), f"from the file {Path(value).name}"
    except OSError as error:
        if error.errno not in (
            errno.ENOENT,
            errno.ENAMETOOLONG,
        ):  # the JSON of a round is too long for a name
            raise
        return value, "given at the command line"
