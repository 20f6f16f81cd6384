"""`knobeln standings`."""

from __future__ import annotations

import click

from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.cli.result_tables import RoundTables, rounds_for_tables
from knobeln.cli.results_json import RoundStandings, round_standings


@click.command(cls=ContestCommand)
@click.argument("number", type=int, metavar="[ROUND]", required=False)
@click.option(
    "--cross",
    is_flag=True,
    help="Also print the cross table (points won by each team against each other) as a heat map.",
)
@answers(RoundStandings)
def standings(number: int | None, cross: bool) -> None:
    """Show the rankings of a round, also while the contest runs. For a knock-out, show its bracket too.

    Without ROUND it is the last one.
    """
    contest = open_contest()
    with contest.store.read() as tx:
        rounds = rounds_for_tables(tx, contest.settings, games=cross)
    shown = RoundTables.of(contest.settings, rounds, number)
    found = round_standings(shown.plan, shown.outcomes, shown.info, cross=cross)
    answer(found, lambda _: shown.print(cross=cross))
