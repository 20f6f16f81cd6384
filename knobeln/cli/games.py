"""`knobeln games`."""

from __future__ import annotations

from pathlib import Path

import click

from contest.games.registry import registered
from contest.schema.sections import DEFAULT_GAME as KNOBELN
from knobellib.samples import house_strategies, samples
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.output import table
from knobeln.home.home_game import seats_text


@click.command(cls=ContestCommand)
def games() -> None:
    """List the games and their sample programs."""
    rows = [
        (
            info.name,
            info.title,
            seats_text(info),
            info.protocols[0] if info.protocols else info.play.name,
            _samples(info.name),
        )
        for info in (game.info for game in registered().values())
    ]
    table("games", ("game", "title", "seats", "dialogue", "sample programs"), rows, drop=("dialogue",))


def _samples(game: str) -> str:
    if game == KNOBELN:
        return f"{len(house_strategies())} house strategies"
    return " ".join(sorted(Path(name).stem for name in samples(game)))
