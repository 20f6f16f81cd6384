"""`knobeln backup`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from contest.errors import GiveUp
from knobeln.backup import back_up
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import remark

_SUFFIXES = (".tar.gz", ".tgz")


@dataclass(frozen=True)
class WrittenBackup:
    """A backup that was written. `size`: in bytes."""

    file: Path
    size: int


@click.command(cls=ContestCommand)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@answers(WrittenBackup)
def backup(file: Path, overwrite: bool) -> None:
    """Copy the contest into FILE while everything runs.

    FILE is a .tar.gz with the database, contest.toml and the templates. The mails in mail/ are not in
    it. Keep FILE private: it holds the contest's seed and its secrets.
    """
    if not file.name.endswith(_SUFFIXES):
        raise GiveUp(f"{file}: a backup is a tar archive, so its name must end in {' or '.join(_SUFFIXES)}")
    if file.exists() and not overwrite:
        raise GiveUp(f"{file} exists", hint="choose another name, or add --overwrite to replace it")
    back_up(open_contest().path, file)
    answer(WrittenBackup(file, file.stat().st_size), _show)


def _show(written: WrittenBackup) -> None:
    remark(f"Backup written to {written.file} ({written.size:,} bytes).")
