"""`knobeln verify`."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from contest.archive import contents, files
from contest.archive.contents import Archive, settings_of
from contest.errors import Differs
from contest.plurals import plural
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.progress_bars import progress_bar
from knobeln.contest_day import verification
from knobeln.contest_day.verification import Verified
from knobeln.contest_day.verify_limits import memory_limit

EX_FAILED = 1
EX_INCOMPLETE = 3


@click.command(cls=ContestCommand)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--digest", default=None, help="The archive's digest as the organizer announced it.")
@click.option("--strict", is_flag=True, help="End with 1 instead of 3 if not everything could be checked.")
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True, max=100_000),
    default=None,
    help="End after so many minutes. Default: three times as long as the contest took, and 10 s for every "
    "program.",
)
def verify(folder: Path, digest: str | None, strict: bool, minutes: float | None) -> None:
    """Compute a contest again from its archive DIR, and compare every result.

    This needs no contest of your own. Exit code 0: everything is the same; 1: it is not, and the first
    difference is named; 3: what was checked is the same, but this host could not check everything, and what
    it did not check is listed.
    """
    read = files.read(folder, digest)
    try:
        with memory_limit():
            archive = contents.from_files(read)
        seconds = None if minutes is None else 60 * minutes
        verified = verification.verify(archive, partial(progress_bar, columns=12), seconds)
    except Differs as error:
        raise Differs(f"the archive is not correct. The first difference: {error}") from None
    _print(archive, verified, read.digest)
    if verified.missed:
        click.get_current_context().exit(EX_FAILED if strict else EX_INCOMPLETE)


def _print(archive: Archive, verified: Verified, digest: str) -> None:
    settings = settings_of(archive.contest)
    click.echo(f"{files.shown(settings.contest.title)}: {plural(len(archive.entries), 'program')}")
    for sentence in verified.checked:
        click.echo(f"  {sentence}")
    for sentence in (*verified.missed, *verified.unchecked):
        click.echo(f"  not checked: {sentence}")
    click.echo("Compare this with the sha256 of the seed that was announced at the start of the contest:")
    click.echo(f"    {archive.contest.seed_commitment}")
    click.echo("and this with the archive's digest as the organizer announced it:")
    click.echo(f"    {digest}")
