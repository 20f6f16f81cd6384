"""A group as the pages see it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from contest.games.game import GameInfo
from contest.model import GroupOutcome, GroupPlan, Match
from reports import results
from reports.results import OwnGames
from reports.scores import Shape, shape_of
from reports.site.games import Replays


@dataclass(frozen=True)
class GroupView:
    """A finished group, and where its games can be seen."""

    outcome: GroupOutcome
    game: GameInfo
    replays: Replays

    @property
    def plan(self) -> GroupPlan:
        return self.outcome.plan

    @cached_property
    def shape(self) -> Shape:
        return shape_of(self.plan, self.game)

    @cached_property
    def own(self) -> Mapping[str, OwnGames]:
        """The games of every member, by member."""
        return results.own_games(self.outcome)

    def link(self, match: Match) -> str:
        """Return the path of the game's replay; "" if it has none."""
        return self.replays.link(self.plan, match)

    @property
    def first_link(self) -> str:
        """The path of the replay of the first game that has one; "" if none has."""
        return next(filter(None, map(self.link, self.outcome.matches)), "")
