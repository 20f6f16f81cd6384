"""`knobeln publish`."""

from __future__ import annotations

from pathlib import Path

import click

from contest.plurals import plural
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import remark
from knobeln.contest_day import publish as publishing
from knobeln.contest_day.publish import Published


@click.command(cls=ContestCommand)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--early", is_flag=True, help="Publish before the results are announced.")
@answers(Published)
def publish(folder: Path, early: bool) -> None:
    """Write the contest's archive to the new folder DIR. It has everything to compute the results again.

    It holds the programs with descriptions and credits, but without authentication strings; the seed, all
    games, and all rankings.
    """
    published = publishing.publish(open_contest(), folder, early=early)
    answer(published, lambda published: _show(published, folder))


def _show(published: Published, folder: Path) -> None:
    remark(f"The archive of {plural(published.programs, 'program')} is in {folder}.")
    remark(f"Its digest, for those who get it from somebody else:\n    {published.digest}")
    remark(f"Anybody can check it:\n    knobeln verify {folder}")
