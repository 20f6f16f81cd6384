"""`knobeln serve`."""

from __future__ import annotations

import signal

import click

from contest.errors import NotNow
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.server.gateway import Gateway


@click.command(cls=ContestCommand)
def serve() -> None:
    """Run the mail server of the contest until SIGTERM.

    It takes letters, compiles programs, and sends answers and reports.
    """
    contest = open_contest()
    with contest.only_one("serve") as alone:
        if not alone:
            raise NotNow(f"`knobeln serve` already runs for {contest.path}")
        gateway = Gateway(contest)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, gateway.stop_soon)
        gateway.run()
