"""Derive facts from the settings of a contest: its format, and the settings frozen at its start. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contest.config.sections import Evolution, Programs, Tournament
from contest.config.settings import Settings, game_settings
from contest.errors import ConfigError
from contest.formats import make_format
from contest.formats.base import Format
from contest.games.registry import game_of
from contest.language import SOURCE


def format_of(settings: Settings) -> Format:
    """The contest's format. Raises ConfigError if the game or the evolution does not fit it."""
    info = game_of(settings.game, settings.programs).info
    chosen = make_format(settings.tournament, info)
    if settings.evolution.enabled and not chosen.everyone_meets:
        raise ConfigError(
            f"evolution.enabled: there is no evolution in {chosen.name}", hint="set it to false"
        )
    return chosen


def frozen_settings(kept: Mapping[str, Any] | None, settings: Settings) -> Settings:
    """The settings, with everything that decides results as it was when the contest started, and with the
    language of that time, in which faults are told.

    `kept`: what the store keeps of them since then, None before the start. The number of workers never
    changes a result and may be changed on the contest day.
    """
    if kept is None:
        return settings
    tournament = Tournament.model_validate({**kept["tournament"], "workers": settings.tournament.workers})
    return settings.model_copy(
        update={
            "game": game_settings(kept["game"]),
            "programs": Programs.model_validate(kept["programs"]),
            "evolution": Evolution.model_validate(kept["evolution"]),
            "contest": settings.contest.model_copy(update={"language": _language(kept)}),
            "tournament": tournament,
        }
    )


def _language(kept: Mapping[str, Any]) -> str:
    language: str = kept["contest"].get("language", SOURCE)
    return language


def is_computed(settings: Settings) -> bool:
    """Whether anybody can compute the contest's games again from its programs and its seed."""
    return game_of(settings.game, settings.programs).info.play.is_computed
