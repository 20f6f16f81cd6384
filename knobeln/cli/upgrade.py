"""`knobeln upgrade`."""

from __future__ import annotations

import click

from contest.config.load import load_settings
from contest.private_folder import make_private
from contest.store import migrate
from knobeln.cli.contest_option import ContestCommand, contest_path
from knobeln.cli.output import remark
from knobeln.context import existing_store


@click.command(cls=ContestCommand)
def upgrade() -> None:
    """Bring the database to this version of knobeln. It also closes the folder to other users."""
    load_settings(contest_path())
    make_private(contest_path())
    migrate.upgrade(existing_store(contest_path()))
    remark("The database is up to date.")
