"""`knobeln compare`."""

from __future__ import annotations

import click

from compiler.builders.table import TableBuilder
from contest.games.hog import all_pairs, ranking
from contest.games.hog_game import NAME as HOG
from contest.subprocesses.hog_solver import win_rates
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.game_option import settings_or_defaults, without_description
from knobeln.cli.output import table
from knobeln.local.programs import accepted, files_of
from tournament.home_game import distinct_names


@click.command(cls=ContestCommand)
@click.argument("programs", metavar="A.py B.py ...", nargs=-1, required=True)
def compare(programs: tuple[str, ...]) -> None:
    """Print exact win rates of Hog strategies against each other, and the ranking.

    Each is a Python file with a function final_strategy(score, opponent_score), or the name of a sample.
    """
    if len(programs) < 2:
        raise click.UsageError("name at least two strategies; with one there is nothing to compare")
    settings = without_description(settings_or_defaults())
    builder = TableBuilder(settings)
    entries = [accepted(program, builder.rebuild(files_of(program, HOG), "")) for program in programs]
    names, pairs = distinct_names(programs), all_pairs(len(entries))
    rates = dict(zip(pairs, win_rates(entries, pairs, workers=0), strict=True))
    rows = [(names[first], names[second], f"{rate:.6%}") for (first, second), rate in sorted(rates.items())]
    table("win rate of the first against the second", ("first", "second", "#win rate"), rows)
    lines = [
        (place.rank, names[place.entry], entries[place.entry].goal, place.match_points)
        for place in ranking(len(entries), rates)
    ]
    table("ranking", ("#rank", "strategy", "#goal", "#match points"), lines)
