"""The field of a contest: who takes part with which program, by which rules, and by which seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from contest.config.settings import Settings
from contest.formats.base import Format
from contest.games.base import GameInfo
from contest.games.registry import game_of
from contest.model import RoundOutcome
from contest.seeds import Seeds
from contest.standings import banned_in


@dataclass(frozen=True)
class Field:
    """A contest to be played again. `images`: the digests of the programs by team, of those who take part."""

    settings: Settings
    format: Format
    images: Mapping[str, str]
    seeds: Seeds

    @cached_property
    def info(self) -> GameInfo:
        return game_of(self.settings.game, self.settings.programs).info


def field_of(
    settings: Settings,
    chosen: Format,
    images: Mapping[str, str],
    seeds: Seeds,
    history: Sequence[RoundOutcome],
) -> Field:
    """The field of a published contest. `images`: the digests of all entries' programs.

    Whom the organizer took out before the first draw, or before a group was played, is not in it.
    """
    lines = [line for each in history for group in each.groups for line in group.standings]
    playing = {line.entry for line in lines} - banned_in(lines)
    return Field(settings, chosen, {name: images[name] for name in sorted(playing)}, seeds)
