"""One game of programs that talk with the referee."""

from __future__ import annotations

from collections.abc import Sequence

from contest.config.settings import Settings
from contest.games.registry import text_game_of
from knobeln.local.programs import IMAGE, built_program
from sandbox.players.choice import player_of
from sandbox.sandbox import Sandbox
from tournament.home_game import HomeGame, check_number, distinct_names, game_at_home


def text_game(settings: Settings, programs: Sequence[str], seed: str, *, with_moves: bool) -> HomeGame:
    """Play one game of these programs, in the order of the seats.

    Raises NotFound, GiveUp with what is wrong.
    """
    rules = text_game_of(settings.game, settings.programs)
    check_number(rules.info, len(programs))
    sandbox = Sandbox(settings.jail)
    built = [built_program(program, rules.info, settings) for program in programs]
    players = [player_of(program, rules.info, sandbox, settings.programs.seconds) for program in built]
    names = distinct_names(program.removeprefix(IMAGE) for program in programs)
    return game_at_home(rules, names, players, seed, with_moves=with_moves)
