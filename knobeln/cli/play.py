"""`knobeln play`."""

from __future__ import annotations

import secrets

import click

from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.game_option import game_option, settings_for, without_description
from knobeln.local.play import play_at_home


@click.command(cls=ContestCommand)
@click.argument("names", metavar="A.c B.c ...", nargs=-1, required=True)
@game_option
@click.option("--seed", default=None, help="Any text; the same seed gives the same game. Default: a new one.")
@click.option("--protocol", "with_moves", is_flag=True, help="Print every throw or move.")
def play(names: tuple[str, ...], game_name: str | None, seed: str | None, with_moves: bool) -> None:
    """Play one game of A against B.

    Each is a file, a folder with a program and the text files that it reads, or the name of a house strategy
    or sample program.
    """
    chosen = seed or secrets.token_hex(8)
    settings = without_description(settings_for(game_name))
    for line in play_at_home(settings, names, chosen, with_moves=with_moves):
        click.echo(line)
    click.echo(f"--seed {chosen} plays this game again.")
