"""The field of a contest: who takes part with which program, by which rules, and by which seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, partial

from contest.config.settings import Settings
from contest.formats.format import Format
from contest.formats.standings import banned_in
from contest.games.game import GameInfo
from contest.games.registry import game_of
from contest.interfaces.protocols import Runner
from contest.model import GroupOutcome, GroupPlan, RoundOutcome
from contest.seeds import Seeds
from tournament import referee


@dataclass(frozen=True)
class Field:
    """A contest to be played. `images`: the digests of the programs by team, of those who take
    part."""

    settings: Settings
    format: Format
    images: Mapping[str, str]
    seeds: Seeds

    @cached_property
    def info(self) -> GameInfo:
        return game_of(self.settings.game, self.settings.programs).info

    def play_group(
        self,
        plan: GroupPlan,
        final: bool,
        runner: Runner,
        *,
        banned: AbstractSet[str] = frozenset(),
        protocols_for: AbstractSet[str] = frozenset(),
    ) -> GroupOutcome:
        """Play a group by the contest's rules; `final`: its round was drawn as the final.

        `banned`, `protocols_for` and errors: as `referee.play_group`.
        """
        return referee.play_group(
            plan,
            images=self.images,
            seeds=self.seeds,
            runner=runner,
            protocols_for=protocols_for,
            standings=partial(self.format.standings, plan, final),
            fault_rule=self.info.fault_rule,
            banned=banned,
        )


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
    lines = [line for outcome in history for group in outcome.groups for line in group.standings]
    playing = {line.entry for line in lines} - banned_in(lines)
    return Field(settings, chosen, {name: images[name] for name in sorted(playing)}, seeds)
