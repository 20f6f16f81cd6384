"""`knobeln evolution`."""

from __future__ import annotations

import click

from contest.errors import NotFound
from contest.store import results
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.cli.result_tables import show_evolution
from knobeln.cli.results_json import EvolutionJson, evolution_json


@click.command(cls=ContestCommand)
@answers(EvolutionJson)
def evolution() -> None:
    """Show the evolution: its ranking, and the shares over the generations."""
    with open_contest().store.read() as tx:
        outcome = results.get_evolution(tx)
    if outcome is None:
        raise NotFound("there is no evolution: it is computed at the end of a contest that has one")
    answer(evolution_json(outcome), lambda _: show_evolution(outcome))
