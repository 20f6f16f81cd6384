"""`knobeln site`."""

from __future__ import annotations

from pathlib import Path

import click

from contest.errors import NotNow
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import remark
from knobeln.server.site_writer import SiteWriter


@click.command(cls=ContestCommand)
@click.argument("target", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
def site(target: Path) -> None:
    """Write the contest's pages into DIR. They show dates, teams, released results, and games to replay.

    The pages need no server. They show nothing that has not gone out by mail to everybody.
    """
    contest = open_contest()
    writer = SiteWriter(contest, target)
    with contest.only_one("site", shared_elsewhere=True) as alone:
        if not alone:
            raise NotNow("another process writes the pages at this moment", hint="try again")
        for _ in writer.steps():
            pass
    remark(writer.summary)
