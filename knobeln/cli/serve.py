"""`knobeln serve`."""

from __future__ import annotations

import signal
import socket
from pathlib import Path

import click

from contest.config.load import load_settings
from knobeln.archive.export import packed
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.ordinary_user import open_as_ordinary_user
from knobeln.context import only_one
from knobeln.home.games import sample_replay
from knobeln.server.gateway import Gateway
from knobeln.server.parts import Part, PartsAtWork
from mailserver.intake.sockets import low_ports
from sandbox import living


@click.command(cls=ContestCommand)
@click.option(
    "--only",
    "named",
    type=click.Choice([str(part) for part in Part]),
    multiple=True,
    help="Do only this part of the work; can be given several times.",
)
def serve(named: tuple[str, ...]) -> None:
    """Run the mail server of the contest until SIGTERM.

    It takes letters, compiles programs, and sends answers and reports. Started by root, it becomes
    the folder's owner, or the user `knobeln`, once it listens at its port.

    With --only several processes share the work, on one computer or, with PostgreSQL, on several.
    `intake` takes letters in (SMTP, LMTP, IMAP). `desk` handles them; it also sends the lists of
    entries, plays the ladder, writes the pages, and starts the run that you request by mail.
    `compile` builds programs and plays practice games. `deliver` sends the mails. A contest needs
    all four, and only one `desk`. There may be any number of `compile`, and one `intake` and one
    `deliver` on each computer.
    """
    ports: list[socket.socket] = []
    parts = [part for part in Part if part in named or not named]

    def bind(folder: Path) -> None:
        if Part.INTAKE not in parts:
            return
        with only_one(folder, Part.INTAKE.lock) as alone:
            if alone:  # or else we say so below
                ports.extend(low_ports(load_settings(folder).mail))

    contest = open_as_ordinary_user(before=bind)
    with PartsAtWork(contest, parts) as locks:
        gateway = Gateway(
            contest=contest,
            ports=ports,
            parts=parts,
            keep_locks=locks.keep,
            pack=packed,
            sample=sample_replay,
            end_sandboxes=living.end_all,
        )
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, gateway.stop_soon)
        gateway.run()
