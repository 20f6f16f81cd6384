"""`knobeln serve`."""

from __future__ import annotations

import signal
import socket
from pathlib import Path

import click

from contest.config.load import load_settings
from contest.errors import NotNow
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.ordinary_user import open_as_ordinary_user
from knobeln.context import only_one
from knobeln.server.gateway import Gateway
from mailserver.intake.smtp import low_ports


@click.command(cls=ContestCommand)
def serve() -> None:
    """Run the mail server of the contest until SIGTERM.

    It takes letters, compiles programs, and sends answers and reports. Started by root, it becomes the
    folder's owner, or the user `knobeln`, once it listens at its port.
    """
    ports: list[socket.socket] = []

    def bind(folder: Path) -> None:
        with only_one(folder, "serve") as alone:
            if alone:  # or else we say so below
                ports.extend(low_ports(load_settings(folder).mail))

    contest = open_as_ordinary_user(before=bind)
    with contest.only_one("serve") as alone:
        if not alone:
            raise NotNow(f"`knobeln serve` already runs for {contest.path}")
        gateway = Gateway(contest, ports)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, gateway.stop_soon)
        gateway.run()
