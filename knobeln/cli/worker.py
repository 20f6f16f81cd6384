"""`knobeln worker`."""

from __future__ import annotations

from pathlib import Path

import click

from contest.config.sections import KEYS_FOLDER
from contest.subprocesses.engine_pool import cores
from knobeln.cli.contest_option import ContestCommand, contest_path


@click.command(cls=ContestCommand)
@click.argument("url", metavar="tls://COMPUTER:PORT")
@click.option(
    "--keys", type=click.Path(path_type=Path), help="Folder of the keys; default: the contest's `cluster`."
)
@click.option("--processes", type=click.IntRange(min=1), help="Games at once; default: one per core.")
def worker(url: str, keys: Path | None, processes: int | None) -> None:
    """Play games of a contest day for the scheduler at this address, until SIGTERM.

    The worker waits for the scheduler, and for contests, for as long as it takes. It needs no contest folder
    and no mailbox, but the same version of knobeln, a C compiler and bubblewrap.
    """
    from tournament.cluster.daemons import run_workers

    run_workers(url, keys or contest_path() / KEYS_FOLDER, processes or cores(), click.echo)
