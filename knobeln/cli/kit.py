"""`knobeln kit`: the software kit as a file or a folder (K23, K24)."""

from __future__ import annotations

from pathlib import Path

import click

from contest.errors import GiveUp
from knobellib.kit_archives import Kit, shell_archive, tar_archive
from knobellib.kits import kit_of
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.game_option import settings_or_defaults
from knobeln.cli.output import remark

_ARCHIVES = {
    ".tar.gz": tar_archive,
    ".tgz": tar_archive,
    ".shar": shell_archive,
}


@click.command(cls=ContestCommand)
@click.argument("where", metavar="[WHERE]", required=False, type=click.Path(path_type=Path))
def kit(where: Path | None) -> None:
    """Write the software kit that teams work with at home.

    WHERE is a tar archive (.tar.gz), a shell archive (.shar), or a new or empty folder. Default: a tar
    archive with the usual name, such as knobelnsoftware.tar.gz. The kit has the contest's own rules and
    limits.
    """
    software = kit_of(settings_or_defaults())
    where = where or Path(software.tar_name)
    try:
        _write(software, where)
    except (FileExistsError, FileNotFoundError, NotADirectoryError) as error:
        raise GiveUp(f"cannot write {where}: {error.strerror}") from None
    remark(f"The kit is in {where}.")


def _write(software: Kit, where: Path) -> None:
    archive = next((archive for suffix, archive in _ARCHIVES.items() if where.name.endswith(suffix)), None)
    if archive:
        with where.open("xb") as out:
            out.write(archive(software))
        return
    if not where.is_dir() and where.suffix:
        raise GiveUp(f"{where}: the name of an archive ends in {', '.join(_ARCHIVES)}")
    where.mkdir(exist_ok=True)
    if any(where.iterdir()):
        raise GiveUp(
            f"the folder {where} is not empty", hint="name a new one, or a file that ends in .tar.gz"
        )
    for file in software.files:
        path = where / file.name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(file.data)
        if file.is_program:
            path.chmod(0o755)
