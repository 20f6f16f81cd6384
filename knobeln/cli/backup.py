"""`knobeln backup`."""

from __future__ import annotations

from pathlib import Path

import click

from knobeln.backup import back_up
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest


@click.command(cls=ContestCommand)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def backup(file: Path) -> None:
    """Copy the contest into FILE while everything runs.

    FILE is a .tar.gz with the database, contest.toml and the templates. The mails in mail/ are not in
    it. Keep FILE private: it holds the contest's seed and its secrets.
    """
    back_up(open_contest(), file)
    click.echo(f"Backup written to {file} ({file.stat().st_size:,} bytes).")
