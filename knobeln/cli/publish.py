"""`knobeln site` and `knobeln publish`: the contest's pages, and its archive."""

from __future__ import annotations

from pathlib import Path

import click

from contest.errors import NotNow
from contest.plurals import plural
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import remark
from knobeln.contest_day import publish as publishing
from knobeln.server.site_writer import SiteWriter


@click.command(cls=ContestCommand)
@click.argument("target", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
def site(target: Path) -> None:
    """Write the contest's pages into DIR. They show dates, teams, released results, and games to replay.

    The pages need no server. They show nothing that has not gone out by mail to everybody.
    """
    contest = open_contest()
    writer = SiteWriter(contest, target, publishing.packed)
    with contest.only_one("site", shared_elsewhere=True) as alone:
        if not alone:
            raise NotNow("another process writes the pages at this moment", hint="try again")
        for _ in writer.steps():
            pass
    remark(writer.summary)


@click.command(cls=ContestCommand)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--early", is_flag=True, help="Publish before the results are announced.")
def publish(folder: Path, early: bool) -> None:
    """Write the contest's archive to the new folder DIR. It has everything to compute the results again.

    It holds the programs with descriptions and credits, but without authentication strings; the seed, all
    games, and all rankings.
    """
    published = publishing.publish(open_contest(), folder, early=early)
    remark(f"The archive of {plural(published.programs, 'program')} is in {folder}.")
    remark(f"Its digest, for those who get it from somebody else:\n    {published.digest}")
    remark(f"Anybody can check it:\n    knobeln verify {folder}")
