"""`knobeln results protocol`."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from contest.errors import GiveUp, NotFound
from knobeln.cli.contest_option import ContestCommand
from reports import knobeln_protocol, text_protocol
from reports.knobeln_protocol import ProtocolError

GZIP_MAGIC = b"\x1f\x8b"


@click.command(cls=ContestCommand)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True))
@click.option("--against", default=None, help="Only the games against this opponent.")
def protocol(file: Path, against: str | None) -> None:
    """Write the games of a compact protocol out in full. FILE is as mailed, gzipped or not."""
    raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    try:
        text = (gzip.decompress(raw) if raw[:2] == GZIP_MAGIC else raw).decode()
        games = [*_games(text)]
    except (ProtocolError, UnicodeDecodeError, OSError, EOFError, zlib.error) as error:
        raise GiveUp(f"{file} is not a protocol of knobeln: {error}") from None
    found = [game for players, game in games if against is None or against in players]
    if not found:
        raise NotFound(f"there is no game in {file}" + (f" against {against}" if against else ""))
    click.echo_via_pager("\n".join(found))


def _games(text: str) -> Iterator[tuple[Sequence[str], str]]:
    """Yield the players of each game, by seat, and the game in full. Raises ProtocolError."""
    if text.startswith(text_protocol.TITLE):
        protocol = text_protocol.read(text)
        yield from ((game.players, text_protocol.full(protocol, game)) for game in protocol.games)
    else:
        yield from ((game.players, knobeln_protocol.full(game)) for game in knobeln_protocol.read(text))
