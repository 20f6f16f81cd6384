"""The software kit as a file or a folder, for everybody (K23, K24)."""

from __future__ import annotations

from pathlib import Path

import click

from contest.errors import GiveUp
from contest.games.knobeln import rules_of
from knobellib import kit as kits
from knobellib.kit import KitFile, kit_files, shell_archive, tar_archive
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.game_option import KNOBELN, settings_or_defaults

_ARCHIVES = {
    ".tar.gz": tar_archive,
    ".tgz": tar_archive,
    ".shar": shell_archive,
}


@click.command(cls=ContestCommand)
@click.argument("where", metavar="[WHERE]", default=kits.TAR_NAME, type=click.Path(path_type=Path))
def kit(where: Path) -> None:
    """Write the software that teams work with at home.

    WHERE is an archive for tar (.tar.gz), a shell archive (.shar), or a folder that is new or empty. Default:
    knobelnsoftware.tar.gz. The kit has the numbers of the contest.
    """
    settings = settings_or_defaults()
    if settings.game.name != KNOBELN:
        name = settings.game.name
        raise GiveUp(f"the kit is for {KNOBELN}, and the game is {name}; `knobeln games` lists its programs")
    try:
        _write(kit_files(rules_of(settings.game)), where)
    except (FileExistsError, FileNotFoundError, NotADirectoryError) as error:
        raise GiveUp(f"cannot write {where}: {error.strerror}") from None
    click.echo(f"The software is in {where}.")


def _write(files: tuple[KitFile, ...], where: Path) -> None:
    archive = next((made for suffix, made in _ARCHIVES.items() if where.name.endswith(suffix)), None)
    if archive:
        with where.open("xb") as out:
            out.write(archive(files))
    else:
        _fill(where, files)


def _fill(folder: Path, files: tuple[KitFile, ...]) -> None:
    """Puts the files into a folder where nothing is lost by that."""
    if not folder.is_dir() and folder.suffix:
        raise GiveUp(f"{folder}: a file of the kit ends in {', '.join(_ARCHIVES)}")
    folder.mkdir(exist_ok=True)
    if any(folder.iterdir()):
        raise GiveUp(f"the folder {folder} is not empty; name a new one, or a file that ends in .tar.gz")
    for file in files:
        path = folder / file.name
        path.write_bytes(file.data)
        if file.is_program:
            path.chmod(0o755)
