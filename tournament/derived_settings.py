"""What the settings of a contest come to: its format, how its games are had, and what was frozen. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contest.config.sections import Evolution, Programs, Tournament
from contest.config.settings import Settings, game_settings
from contest.errors import ConfigError
from contest.formats import make_format
from contest.formats.base import Format
from contest.games.base import MACHINE, GameInfo, TextProtocol
from contest.games.registry import game_of


def format_of(settings: Settings) -> Format:
    """The format of these settings. Raises ConfigError where its game, or the evolution, does not fit it."""
    chosen = make_format(settings.tournament, game_of(settings.game, settings.programs).info)
    if settings.evolution.enabled and not chosen.everyone_meets:
        raise ConfigError(f"evolution.enabled: there is no evolution in {chosen.name}; set it to false")
    if settings.tournament.final_replays and not (is_on_machine(settings) and chosen.everyone_meets):
        raise ConfigError(
            "tournament.final_replays: only games of the contest machine, in a format with a final of all "
            "against all, can be had again and again; set it to 0"
        )
    return chosen


def frozen_settings(kept: Mapping[str, Any] | None, settings: Settings) -> Settings:
    """The settings with everything that decides results as it was when the contest started.

    `kept`: what the store then kept of them; None: it has not started. The number of workers never changes a
    result, and may be changed on contest day.
    """
    if kept is None:
        return settings
    tournament = Tournament.model_validate({**kept["tournament"], "workers": settings.tournament.workers})
    return settings.model_copy(
        update={
            "game": game_settings(kept["game"]),
            "programs": Programs.model_validate(kept["programs"]),
            "evolution": Evolution.model_validate(kept["evolution"]),
            "tournament": tournament,
        }
    )


def is_computed(settings: Settings) -> bool:
    """Whether a game of the contest can be had again from its programs and its seed alone."""
    return _info(settings).play.is_computed


def is_on_machine(settings: Settings) -> bool:
    """Whether the games are played on the contest machine."""
    return _info(settings).play == MACHINE


def starts_for_each_move(settings: Settings) -> bool:
    """Whether programs are started for each move, as container images are."""
    return TextProtocol.ARGV in _info(settings).protocols


def _info(settings: Settings) -> GameInfo:
    return game_of(settings.game, settings.programs).info
