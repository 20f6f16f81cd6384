"""`knobeln machine`: run a program on the contest machine, translate the contest's programs."""

from __future__ import annotations

from pathlib import Path

import click

from compiler.elf import read_image
from contest.errors import EX_FAULT, GiveUp
from contest.games.registry import game_of
from contest.store import submissions
from contest.util.plurals import plural
from knobeln.cli.contest_option import ContestCommand, ContestGroup, open_contest
from knobeln.cli.game_option import settings_or_defaults
from knobeln.cli.output import remark
from sandbox.vm.image import Image
from sandbox.vm.run import RunResult, run
from sandbox.vm.translation import translations
from tournament.runners import runner_of

_NAMES = (
    *("zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1"),
    *(f"a{n}" for n in range(8)),
    *(f"s{n}" for n in range(2, 12)),
    *(f"t{n}" for n in range(3, 7)),
)
_REGISTERS_PER_LINE = 4


@click.group(cls=ContestGroup)
def machine() -> None:
    """Use the contest machine without a game."""


@machine.command("run", cls=ContestCommand)
@click.argument("file", metavar="FILE.elf", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--max-instructions",
    type=click.IntRange(1, 2**62),
    default=None,
    help="Stop the program after so many. Default: the contest's limit.",
)
@click.option("--registers", is_flag=True, help="Also print all registers at the end.")
def run_program(file: Path, max_instructions: int | None, registers: bool) -> None:
    """Run a linked program (docs/machine.md says how to link one) to its end.

    The exit code is the lowest 8 bits of a0 at the program's exit, or 125 after a fault, which standard error
    explains.
    """
    limit = max_instructions or settings_or_defaults().programs.max_instructions
    ended = run(_image(file), limit)
    click.echo(f"{ended.instructions:,} instructions, {ended.memory:,} bytes of memory")
    if registers:
        click.echo(_table(ended))
    if ended.fault is not None:
        click.echo(f"{file}: {ended.fault}", err=True)
    raise SystemExit(ended.status % 256 if ended.fault is None else EX_FAULT)


@machine.command("translate", cls=ContestCommand)
def translate() -> None:
    """Translate the contest's programs that have no native code on this host yet."""
    contest = open_contest()
    if game_of(contest.settings.game, contest.settings.programs).info.play.takes != "c source":
        raise GiveUp("the programs of this contest do not run on the contest machine")
    with contest.store.read() as tx:
        images = submissions.load_images(tx, submissions.digests_that_count(tx))
    native = translations().found(map(Image.from_bytes, images.values()))
    waiting = {digest: raw for digest, raw in images.items() if digest not in native}
    failures = runner_of(contest.settings).speed_up(waiting, contest.settings)
    for failure in failures:
        click.echo(failure, err=True)
    remark(
        f"{plural(len(images), 'program')}: {len(native)} had native code, "
        f"{len(waiting) - len(failures)} translated now, {len(failures)} left to the interpreter"
    )


def _image(file: Path) -> Image:
    try:
        return read_image(file.read_bytes())
    except ValueError as error:
        raise GiveUp(f"{file}: {error}", hint="name an ELF file that a compiler has linked") from None


def _table(ended: RunResult) -> str:
    cells = [
        f"x{number:<2} {name:4} {value:08x}"
        for number, (name, value) in enumerate(zip(_NAMES, ended.registers, strict=True))
    ]
    rows = [cells[start : start + _REGISTERS_PER_LINE] for start in range(0, len(cells), _REGISTERS_PER_LINE)]
    return "\n".join("   ".join(row) for row in rows)
