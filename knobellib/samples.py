"""Programs of our own: KNOBELN's house strategies, and the sample programs of the other games.

They are examples for teams, opponents for testing by hand, in trial games and in practice, and the
participants of the demonstration. To add one, add its file to `strategies/` or `opponents/<game>/`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from contest.games.registry import game_plugin


def samples(game_name: str) -> dict[str, bytes]:
    """The sample programs of a game by file name. KNOBELN has none, but house strategies."""
    folder = files("knobellib").joinpath("opponents", game_name)
    if folder.is_dir():
        return {f.name: f.read_bytes() for f in folder.iterdir() if f.is_file()}
    return dict(game_plugin(game_name).samples)


@dataclass(frozen=True)
class HouseStrategy:
    """A program without a <<FROM>> line. `name` is the file's, and could be a team's name (K31)."""

    name: str
    source: str


@cache
def house_strategies() -> tuple[HouseStrategy, ...]:
    """All of them, sorted by name."""
    folder = files("knobellib").joinpath("strategies")
    programs = (file for file in folder.iterdir() if file.name.endswith(".c"))
    strategies = (
        HouseStrategy(p.name.removesuffix(".c"), p.read_text(encoding="utf-8")) for p in programs
    )
    return tuple(sorted(strategies, key=lambda strategy: strategy.name))
