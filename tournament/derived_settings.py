"""Derive facts from the settings of a contest: its format, and the settings frozen at its start.
Pure."""

from __future__ import annotations

from collections.abc import Collection

from contest.config.settings import Settings, SettingsValues, of_roles, section_from
from contest.errors import ConfigError
from contest.formats import make_format
from contest.formats.format import Format
from contest.games.registry import game_of
from contest.schema.sections import Role


def format_of(settings: Settings) -> Format:
    """The contest's format. Raises ConfigError if the game or the evolution does not fit it."""
    info = game_of(settings.game, settings.programs).info
    chosen = make_format(settings.tournament, info)
    if settings.evolution.enabled and not chosen.everyone_meets:
        raise ConfigError(
            f"evolution.enabled: there is no evolution in {chosen.name}", hint="set it to false"
        )
    return chosen


def frozen_settings(
    frozen_values: SettingsValues | None,
    settings: Settings,
    roles: Collection[Role] = (Role.DECIDES,),
) -> Settings:
    """The settings, with those of these roles as they were when the contest started.

    `frozen_values`: what the store keeps of them since then, None before the start.
    """
    if frozen_values is None:
        return settings
    others = of_roles(
        settings.model_dump(mode="json"), *(role for role in Role if role not in roles)
    )
    frozen = of_roles(frozen_values, *roles)
    return settings.model_copy(
        update={
            name: section_from(name, {**others.get(name, {}), **frozen[name]}) for name in frozen
        }
    )


def is_computed(settings: Settings) -> bool:
    """Whether anybody can compute the contest's games again from its programs and its seed."""
    return game_of(settings.game, settings.programs).info.play.is_computed
