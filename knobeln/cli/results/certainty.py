"""`knobeln results certainty`."""

from __future__ import annotations

import click

from contest.model import Certainty
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import busy, console, table
from knobeln.day.stored_certainty import certainty_of
from reports.certainty import certainty_facts
from tournament.certainty import MAX_CONTESTS_BY_HAND, MIN_CONTESTS


@click.command(cls=ContestCommand)
@click.argument(
    "number", type=click.IntRange(MIN_CONTESTS, MAX_CONTESTS_BY_HAND), metavar="[N]", required=False
)
@answers(Certainty)
def certainty(number: int | None) -> None:
    """Show how sure the ranking is: how the contest ends with other random numbers.

    The whole contest is drawn and played again N times; nothing is mailed or stored. Without N you see what
    the pages of the contest say. The same N gives the same numbers on any host. With more contests the
    margin shrinks, and it takes longer.
    """
    contest = open_contest()
    with busy("drawing and playing the contest again ..."):
        found = certainty_of(contest, number)
    answer(found, _show)


def _show(found: Certainty) -> None:
    facts = certainty_facts(found)
    console.print(facts.words, markup=False)
    if facts.lines:
        name, *numeric = facts.columns
        table("", (name, *(f"#{column}" for column in numeric)), facts.lines)
        console.print(facts.key, markup=False)
