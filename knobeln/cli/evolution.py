"""`knobeln evolution`."""

from __future__ import annotations

from dataclasses import asdict

import click

from contest.errors import NotFound
from contest.store import results
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import json_option, print_json
from knobeln.cli.result_tables import show_evolution
from knobeln.cli.results_json import evolution_json


@click.command(cls=ContestCommand)
@json_option
def evolution(as_json: bool) -> None:
    """Show the evolution: its ranking, and the shares over the generations."""
    with open_contest().store.read() as tx:
        outcome = results.get_evolution(tx)
    if outcome is None:
        raise NotFound("there is no evolution: it is computed at the end of a contest that has one")
    if as_json:
        print_json(asdict(evolution_json(outcome)))
    else:
        show_evolution(outcome)
