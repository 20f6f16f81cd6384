"""`knobeln upgrade`."""

from __future__ import annotations

import click

from contest.config.load import load_settings
from knobeln import backup
from knobeln.cli.contest_option import ContestCommand, contest_path
from knobeln.cli.output import remark


@click.command(cls=ContestCommand)
def upgrade() -> None:
    """Bring the database to this version of knobeln. It also closes the folder to other users.

    An old database is first copied into the contest's folder, as a backup `before-upgrade-from-...tar.gz`.
    """
    load_settings(contest_path())
    file = backup.upgrade(contest_path())
    if file:
        remark(f"The contest as it was before is in {file}; the old version can restore it.")
    remark("The database is up to date.")
