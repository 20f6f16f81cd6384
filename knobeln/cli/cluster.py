"""`knobeln cluster`: the keys and the scheduler of several computers that play one contest."""

from __future__ import annotations

from pathlib import Path

import click

from contest.clock import SystemClock
from contest.config.sections import KEYS_FOLDER, SCHEDULER_PORT
from knobeln.cli.contest_option import ContestCommand, ContestGroup, contest_path


@click.group(cls=ContestGroup)
def cluster() -> None:
    """Let several computers play the contest day."""


@cluster.command(cls=ContestCommand)
@click.argument("folder", required=False, metavar="[DIR]", type=click.Path(path_type=Path))
def keys(folder: Path | None) -> None:
    """Make the keys without which no computer takes part, in DIR.

    The default is the folder `cluster` of the contest. Copy it to each computer, over a way that nobody else
    can read: whoever has it can run programs on all of them.
    """
    from tournament.cluster.keys import make_keys

    folder = folder or contest_path() / KEYS_FOLDER
    end = make_keys(folder, SystemClock().now())
    click.echo(f"{folder} has the keys of a new cluster, which hold until {end:%Y-%m-%d}.")


@cluster.command(cls=ContestCommand)
@click.option(
    "--keys",
    "keys_folder",
    type=click.Path(path_type=Path),
    help="Folder of the keys; default: the contest's `cluster`.",
)
@click.option("--host", default="", help="Address at which to listen; default: that of the network.")
@click.option("--port", default=SCHEDULER_PORT, show_default=True, help="Port at which to listen.")
def scheduler(keys_folder: Path | None, host: str, port: int) -> None:
    """Run the scheduler, at which `run` and the workers meet, until SIGTERM."""
    from tournament.cluster.daemons import run_scheduler

    folder = keys_folder or contest_path() / KEYS_FOLDER
    run_scheduler(folder, host, port, click.echo)
