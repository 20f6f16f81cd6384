"""Which software kit the teams of a contest get."""

from __future__ import annotations

from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.games.knobeln import rules_of
from contest.games.registry import game_of
from knobellib.kit import knobeln_kit
from knobellib.kit_archives import Kit
from knobellib.python_kit import python_kit


def kit_of(settings: Settings) -> Kit:
    """The kit for a contest with these settings. Raises GiveUp if its game has none."""
    info = game_of(settings.game, settings.programs).info
    if not info.has_kit:
        raise GiveUp(f"{info.title} has no kit; `knobeln games` lists its sample programs")
    return knobeln_kit(rules_of(settings.game)) if info.play.is_in_c else python_kit(settings)
