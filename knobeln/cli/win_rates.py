"""Strategies of a game that is computed exactly against each other, for `knobeln practice`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compiler.builders.table import TableBuilder
from contest.config.settings import Settings
from contest.games.hog import all_pairs, ranking
from contest.subprocesses.hog_solver import win_rates
from knobeln.cli.output import table
from knobeln.home.home_game import distinct_names
from knobeln.home.programs import accepted, files_of


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


def compared(programs: Sequence[str], settings: Settings) -> ComparedStrategies:
    """Compute who wins how often. Raises NotFound, GiveUp with what is wrong with a program."""
    builder = TableBuilder(settings)
    entries = [
        accepted(program, builder.rebuild(files_of(program, settings.game.name), "")) for program in programs
    ]
    names, pairs = distinct_names(programs), all_pairs(len(entries))
    rates = dict(zip(pairs, win_rates(entries, pairs, workers=0), strict=True))
    return ComparedStrategies(
        tuple(WinRate(names[one], names[other], rate) for (one, other), rate in sorted(rates.items())),
        tuple(
            Place(place.rank, names[place.entry], entries[place.entry].goal, place.match_points)
            for place in ranking(len(entries), rates)
        ),
    )


def show_compared(found: ComparedStrategies) -> None:
    rows = [(rate.first, rate.second, f"{rate.win_rate:.6%}") for rate in found.win_rates]
    table("win rate of the first against the second", ("first", "second", "#win rate"), rows)
    lines = [(place.rank, place.strategy, place.goal, place.match_points) for place in found.ranking]
    table("ranking", ("#rank", "strategy", "#goal", "#match points"), lines)
