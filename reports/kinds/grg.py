"""GRG: all games of a group (K93)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contest.language import noted
from contest.model import Outgoing, Team
from reports import scores
from reports.all_games import group_paragraphs
from reports.kinds.base import Audience, Disclosed, GroupFinished, Report


class AllGames(Report[GroupFinished]):
    code = "GRG"
    meaning = noted("send group result (all games of all participants)")
    when = GroupFinished
    to_whom = Audience.GROUP
    discloses = frozenset({Disclosed.TEAMS, Disclosed.RANKINGS, Disclosed.GAMES})

    def write(self, event: GroupFinished, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        outcome, own = event.outcome, event.own_games
        is_melee = event.shape is scores.Shape.MELEE
        return self.same_mail(
            event,
            wanting,
            paragraphs=() if is_melee else group_paragraphs(outcome, own, event.shape, event.game),
            melees=event.melees,
            score=scores.winners_score(outcome, own) if event.plan.title else None,
            **event.facts,
        )
