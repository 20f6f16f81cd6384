"""Plays one game of programs at home, whatever the kind of play."""

from __future__ import annotations

from collections.abc import Sequence

from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.games.registry import game_of, text_game_of
from knobeln.home.home_game import check_number, distinct_names, game_at_home, lines_about
from knobeln.home.local_game import LocalGame
from knobeln.home.machine_game import machine_game
from knobeln.home.programs import IMAGE, built_program
from sandbox.sandbox import Sandbox
from tournament.replay import course
from tournament.runners.text import open_player
from tournament.runners.text_result import game_result


def text_game(settings: Settings, programs: Sequence[str], seed: str, *, with_moves: bool) -> LocalGame:
    """Play one game of these programs, in the order of the seats.

    Raises NotFound, GiveUp with what is wrong.
    """
    rules = text_game_of(settings.game, settings.programs)
    check_number(rules.info, len(programs))
    sandbox = Sandbox()
    built = [built_program(program, rules.info, settings) for program in programs]
    players = [open_player(program, rules.info, sandbox, settings.programs) for program in built]
    names = distinct_names(program.removeprefix(IMAGE) for program in programs)
    played = game_at_home(rules, names, players, seed)
    return LocalGame(
        rules.info,
        tuple(names),
        game_result(played.result, with_moves=True),
        tuple(lines_about(played.result, names, rules.info.point, with_moves=with_moves)),
        course(played.rules, names, played.positions),
    )


def play_at_home(settings: Settings, programs: Sequence[str], seed: str, *, with_moves: bool) -> LocalGame:
    """Play one game. `with_moves`: its lines have every move. Raises NotFound, GiveUp with what is wrong."""
    info = game_of(settings.game, settings.programs).info
    if not info.play.has_moves:
        raise GiveUp(
            f"{info.title} games are computed, not played: `knobeln practice` computes who wins how often"
        )
    game = machine_game if info.play.is_computed else text_game
    return game(settings, programs, seed, with_moves=with_moves)
