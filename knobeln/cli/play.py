"""`knobeln play`."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

import click

from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.game_option import game_option, settings_for, without_description
from knobeln.cli.output import remark
from knobeln.home.local_game import LocalPlayer
from knobeln.home.play import play_at_home


@dataclass(frozen=True)
class PlayedGame:
    """One game. Players are by seat; `lines` tell about it, with --protocol also every throw or move."""

    game: str
    seed: str
    players: tuple[LocalPlayer, ...]
    turns: int
    lines: tuple[str, ...]


@click.command(cls=ContestCommand)
@click.argument("names", metavar="A.c B.c ...", nargs=-1, required=True)
@game_option
@click.option("--seed", default=None, help="Any text; the same seed gives the same game. Default: a new one.")
@click.option("--protocol", "with_moves", is_flag=True, help="Print every throw or move.")
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the replay of the game into this file, as a page for a browser.",
)
@answers(PlayedGame)
def play(
    names: tuple[str, ...], game_name: str | None, seed: str | None, with_moves: bool, page: Path | None
) -> None:
    """Play one game of A against B.

    Each is a file, a folder with a program and the text files that it reads, or the name of a house strategy
    or sample program.
    """
    chosen = seed or secrets.token_hex(8)
    settings = without_description(settings_for(game_name))
    played = play_at_home(settings, names, chosen, with_moves=with_moves)
    if page:
        page.write_bytes(played.replay(settings))
    answer(PlayedGame(settings.game.name, chosen, played.players, played.result.turns, played.lines), _show)
    if page:
        remark(f"The replay is in {page}: open it with a browser.")


def _show(played: PlayedGame) -> None:
    for line in played.lines:
        click.echo(line)
    remark(f"--seed {played.seed} plays this game again.")
