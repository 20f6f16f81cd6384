"""`knobeln init`."""

from __future__ import annotations

from pathlib import Path

import click

from contest import presets
from contest.clock import SystemClock
from contest.config.load import FILE_NAME, load_settings
from contest.config.sections import DEFAULT_GAME
from contest.errors import ConfigError
from knobeln.cli.contest_option import ContestCommand, contest_path
from knobeln.context import create_contest


@click.command(cls=ContestCommand)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", required=False)
@click.option(
    "--game",
    metavar="NAME",
    help=f"The game to be played; `knobeln games` lists them. Default: {DEFAULT_GAME}.",
)
def init(folder: Path | None, game: str | None) -> None:
    """Create a contest in the folder DIR. It gets a commented contest.toml and the database."""
    path = folder or contest_path()
    settings = presets.settings(game or DEFAULT_GAME, SystemClock().now())
    file = path / FILE_NAME
    if file.exists():  # it is kept
        settings = load_settings(path)
        if game and settings.game.name != game:
            raise ConfigError(f"{file} is for another game; remove it, or leave --game out to keep it")
    create_contest(path, settings).store.close()
    click.echo(f"The contest is in {path}. Now edit {file} (the dates, the addresses), then")
    click.echo(f"    knobeln serve -C {path}     takes registrations and programs by mail")
    click.echo(f"    knobeln run -C {path}       plays the contest day")
