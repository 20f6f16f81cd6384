"""The sample programs of the games: opponents to start from, one file each in `opponents/<game>/`.

They are examples for teams, opponents for testing by hand, and opponents in trial games and practice.
"""

from __future__ import annotations

from importlib.resources import files

from contest.games.registry import game_plugin


def samples(game_name: str) -> dict[str, bytes]:
    """The sample programs of a game by file name. KNOBELN has none, but house strategies."""
    folder = files("knobellib").joinpath("opponents", game_name)
    if folder.is_dir():
        return {f.name: f.read_bytes() for f in folder.iterdir() if f.is_file()}
    return dict(game_plugin(game_name).samples)
