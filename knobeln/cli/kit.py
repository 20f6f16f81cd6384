"""`knobeln games` and `knobeln kit`: the games, and the software kit that teams get (K23, K24)."""

from __future__ import annotations

import shlex
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

_PACKED = (".tar.gz", ".tgz")


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


@click.command(cls=ContestCommand)
@click.argument("file", required=False, type=click.Path(path_type=Path))
def kit(file: Path | None) -> None:
    """Write the software kit that teams work with at home.

    FILE is a new tar archive; a name without .tar.gz gets it. Default: the usual name, such as
    knobelnsoftware.tar.gz. The kit has the contest's own rules and limits.
    """
    from knobellib.kits import kit_of
    from knobeln.cli.game_option import settings_or_defaults

    software = kit_of(settings_or_defaults())
    file = file or Path(software.tar_name)
    if not file.name.endswith(_PACKED):
        file = file.with_name(f"{file.name}.tar.gz")
    try:
        with file.open("xb") as out:
            out.write(tar_archive(software))
    except (FileExistsError, FileNotFoundError, NotADirectoryError) as error:
        raise GiveUp(f"cannot write {file}: {error.strerror}") from None
    remark(
        f"The kit is in {file}. Unpack it with `tar xf {shlex.quote(str(file))}`, and read README."
    )
