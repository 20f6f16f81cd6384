"""`knobeln backup`."""

from __future__ import annotations

from pathlib import Path

import click

from contest.errors import GiveUp
from knobeln.backup import back_up
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest

_SUFFIXES = (".tar.gz", ".tgz")


@click.command(cls=ContestCommand)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
def backup(file: Path, overwrite: bool) -> None:
    """Copy the contest into FILE while everything runs.

    FILE is a .tar.gz with the database, contest.toml and the templates. The mails in mail/ are not in
    it. Keep FILE private: it holds the contest's seed and its secrets.
    """
    if not file.name.endswith(_SUFFIXES):
        raise GiveUp(f"{file}: a backup is a tar archive, so its name must end in {' or '.join(_SUFFIXES)}")
    if file.exists() and not overwrite:
        raise GiveUp(f"{file} exists; choose another name, or add --overwrite to replace it")
    back_up(open_contest().path, file)
    click.echo(f"Backup written to {file} ({file.stat().st_size:,} bytes).")
