"""`knobeln protocol`."""

from __future__ import annotations

import gzip
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

import click

from contest.errors import GiveUp, NotFound
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from reports import knobeln_protocol, text_protocol
from reports.knobeln_protocol import ProtocolError

GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True)
class GameText:
    """A game of a protocol: who played it, by seat, and the game in full."""

    players: tuple[str, ...]
    text: str


@click.command(cls=ContestCommand)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True))
@click.option("--against", default=None, help="Only the games against this opponent.")
@answers(list[GameText])
def protocol(file: Path, against: str | None) -> None:
    """Write the games of a compact protocol out in full. FILE is as mailed, gzipped or not."""
    raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    try:
        text = (gzip.decompress(raw) if raw[:2] == GZIP_MAGIC else raw).decode()
        games = _games(text)
    except (ProtocolError, UnicodeDecodeError, OSError, EOFError, zlib.error) as error:
        raise GiveUp(f"{file} is not a protocol of knobeln: {error}") from None
    found = [game for game in games if against is None or against in game.players]
    if not found:
        raise NotFound(f"there is no game in {file}" + (f" against {against}" if against else ""))
    answer(found, lambda found: click.echo_via_pager("\n".join(game.text for game in found)))


def _games(text: str) -> list[GameText]:
    """Raises ProtocolError."""
    if text.startswith(text_protocol.TITLE):
        protocol = text_protocol.read(text)
        return [GameText(game.players, text_protocol.full(protocol, game)) for game in protocol.games]
    return [GameText(game.players, knobeln_protocol.full(game)) for game in knobeln_protocol.read(text)]
