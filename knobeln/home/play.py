"""Plays one game of programs at home, whatever the kind of play."""

from __future__ import annotations

from collections.abc import Sequence

from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.games.registry import game_of
from knobeln.home.local_game import LocalGame
from knobeln.home.machine_game import machine_game
from knobeln.home.text_game import text_game


def play_at_home(settings: Settings, programs: Sequence[str], seed: str, *, with_moves: bool) -> LocalGame:
    """Play one game. `with_moves`: its lines have every move. Raises NotFound, GiveUp with what is wrong."""
    info = game_of(settings.game, settings.programs).info
    if not info.play.has_moves:
        raise GiveUp(
            f"{info.title} games are computed, not played: `knobeln practice` computes who wins how often"
        )
    game = machine_game if info.play.is_computed else text_game
    return game(settings, programs, seed, with_moves=with_moves)
