"""`knobeln games` and `knobeln kit`: the games, and the software kit that teams get (K23, K24)."""

from __future__ import annotations

from pathlib import Path

import click

from contest.errors import GiveUp
from contest.games.registry import registered
from contest.schema.sections import DEFAULT_GAME as KNOBELN
from knobellib.kit_archives import tar_archive
from knobellib.samples import house_strategies, samples
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.output import remark, table
from knobeln.home.home_game import seats_text


@click.command(cls=ContestCommand)
def games() -> None:
    """List the games and their sample programs."""
    rows = []
    for info in (game.info for game in registered().values()):
        programs = " ".join(sorted(Path(name).stem for name in samples(info.name)))
        if info.name == KNOBELN:
            programs = f"{len(house_strategies())} house strategies"
        dialogue = info.protocols[0] if info.protocols else info.play.name
        rows.append((info.name, info.title, seats_text(info), dialogue, programs))
    columns = ("game", "title", "seats", "dialogue", "sample programs")
    table("games", columns, rows, drop=("dialogue",), is_list=True)


_SUFFIXES = (".tar.gz", ".tgz")


@click.command(cls=ContestCommand)
@click.argument("where", metavar="[WHERE]", required=False, type=click.Path(path_type=Path))
def kit(where: Path | None) -> None:
    """Write the software kit that teams work with at home.

    WHERE is a tar archive (.tar.gz), or a new or empty folder. Default: a tar archive with the usual name,
    such as knobelnsoftware.tar.gz. The kit has the contest's own rules and limits.
    """
    from knobellib.kits import kit_of
    from knobeln.cli.game_option import settings_or_defaults

    software = kit_of(settings_or_defaults())
    where = where or Path(software.tar_name)
    try:
        if where.name.endswith(_SUFFIXES):
            with where.open("xb") as out:
                out.write(tar_archive(software))
        else:
            if not where.is_dir() and where.suffix:
                raise GiveUp(f"{where}: the name of an archive ends in {', '.join(_SUFFIXES)}")
            where.mkdir(exist_ok=True)
            if any(where.iterdir()):
                hint = "name a new one, or a file that ends in .tar.gz"
                raise GiveUp(f"the folder {where} is not empty", hint=hint)
            for file in software.files:
                path = where / file.name
                path.parent.mkdir(exist_ok=True, parents=True)
                path.write_bytes(file.data)
                if file.is_program:
                    path.chmod(0o755)
    except (FileExistsError, FileNotFoundError, NotADirectoryError) as error:
        raise GiveUp(f"cannot write {where}: {error.strerror}") from None
    remark(f"The kit is in {where}.")
