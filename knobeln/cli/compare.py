"""`knobeln compare`."""

from __future__ import annotations

from dataclasses import dataclass

import click

from compiler.builders.table import TableBuilder
from contest.games.hog import all_pairs, ranking
from contest.games.hog_game import NAME as HOG
from contest.subprocesses.hog_solver import win_rates
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.game_option import settings_for, without_description
from knobeln.cli.output import table
from knobeln.local.programs import accepted, files_of
from tournament.home_game import distinct_names


@dataclass(frozen=True)
class WinRate:
    """How often the first strategy wins against the second, from 0 to 1."""

    first: str
    second: str
    win_rate: float


@dataclass(frozen=True)
class Place:
    """A strategy's place. `match_points`: how many of the others it beats."""

    rank: int
    strategy: str
    goal: int
    match_points: int


@dataclass(frozen=True)
class ComparedStrategies:
    """The win rates of every pair, and the ranking, best first."""

    win_rates: tuple[WinRate, ...]
    ranking: tuple[Place, ...]


@click.command(cls=ContestCommand)
@click.argument("programs", metavar="A.py B.py ...", nargs=-1, required=True)
@answers(ComparedStrategies)
def compare(programs: tuple[str, ...]) -> None:
    """Print exact win rates of Hog strategies against each other, and the ranking.

    Each is a Python file with a function final_strategy(score, opponent_score), or the name of a sample.
    """
    if len(programs) < 2:
        raise click.UsageError("name at least two strategies; with one there is nothing to compare")
    settings = without_description(settings_for(HOG))
    builder = TableBuilder(settings)
    entries = [accepted(program, builder.rebuild(files_of(program, HOG), "")) for program in programs]
    names, pairs = distinct_names(programs), all_pairs(len(entries))
    rates = dict(zip(pairs, win_rates(entries, pairs, workers=0), strict=True))
    found = ComparedStrategies(
        tuple(WinRate(names[one], names[other], rate) for (one, other), rate in sorted(rates.items())),
        tuple(
            Place(place.rank, names[place.entry], entries[place.entry].goal, place.match_points)
            for place in ranking(len(entries), rates)
        ),
    )
    answer(found, _show)


def _show(found: ComparedStrategies) -> None:
    rows = [(rate.first, rate.second, f"{rate.win_rate:.6%}") for rate in found.win_rates]
    table("win rate of the first against the second", ("first", "second", "#win rate"), rows)
    lines = [(place.rank, place.strategy, place.goal, place.match_points) for place in found.ranking]
    table("ranking", ("#rank", "strategy", "#goal", "#match points"), lines)
