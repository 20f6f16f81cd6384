"""`knobeln protocol`."""

from __future__ import annotations

import gzip
import sys
import zlib
from pathlib import Path

import click

from contest.errors import GiveUp, NotFound
from knobeln.cli.contest_option import ContestCommand
from reports import knobeln_protocol, text_protocol
from reports.knobeln_protocol import ProtocolError

GZIP_MAGIC = b"\x1f\x8b"

GameText = tuple[tuple[str, ...], str]  # the players, and the game in full


@click.command(cls=ContestCommand)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True))
@click.option("--against", default=None, help="Only the games against this opponent.")
def protocol(file: Path, against: str | None) -> None:
    """Write the games of a compact protocol out in full. FILE is as mailed, gzipped or not."""
    raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    try:
        text = (gzip.decompress(raw) if raw[:2] == GZIP_MAGIC else raw).decode()
        games = _games(text)
    except (ProtocolError, UnicodeDecodeError, OSError, EOFError, zlib.error) as error:
        raise GiveUp(f"{file} is not a protocol of knobeln: {error}") from None
    texts = [game_text for players, game_text in games if against is None or against in players]
    if not texts:
        raise NotFound(f"there is no game in {file}" + (f" against {against}" if against else ""))
    click.echo_via_pager("\n".join(texts))


def _games(text: str) -> list[GameText]:
    """Raises ProtocolError."""
    if text.startswith(text_protocol.TITLE):
        protocol = text_protocol.read(text)
        return [(game.players, text_protocol.full(protocol, game)) for game in protocol.games]
    return [(game.players, knobeln_protocol.full(game)) for game in knobeln_protocol.read(text)]
