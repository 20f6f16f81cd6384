"""`knobeln games`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from contest.config.sections import DEFAULT_GAME as KNOBELN
from contest.games.registry import registered
from knobellib.house import house_strategies
from knobellib.samples import samples
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.output import table
from tournament.home_game import seats_text


@dataclass(frozen=True)
class GameLine:
    """A game. `seats`: a number, or a range like 2-1000; `samples`: programs to play against, by name."""

    name: str
    title: str
    seats: str
    dialogue: str
    samples: tuple[str, ...]


@click.command(cls=ContestCommand)
@answers(list[GameLine])
def games() -> None:
    """List the games and their sample programs."""
    lines = [
        GameLine(
            info.name,
            info.title,
            seats_text(info),
            str(info.protocols[0]) if info.protocols else info.play.name,
            tuple(sorted(_samples(info.name))),
        )
        for info in (game.info for game in registered().values())
    ]
    answer(lines, _show)


def _samples(game: str) -> Iterable[str]:
    if game == KNOBELN:
        return (strategy.name for strategy in house_strategies())
    return (Path(name).stem for name in samples(game))


def _show(lines: Sequence[GameLine]) -> None:
    rows = [
        (
            line.name,
            line.title,
            line.seats,
            line.dialogue,
            " ".join(line.samples) if line.name != KNOBELN else f"{len(line.samples)} house strategies",
        )
        for line in lines
    ]
    table("games", ("game", "title", "seats", "dialogue", "sample programs"), rows, drop=("dialogue",))
