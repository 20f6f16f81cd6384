"""GRG: all games of a group (K93)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contest.interfaces.events import GroupFinished
from contest.language import noted
from contest.model import Outgoing, Team
from reports import scores
from reports.all_games import group_paragraphs
from reports.kinds.base import Audience, Disclosed, Mailing, Report


class AllGames(Report[GroupFinished]):
    code = "GRG"
    meaning = noted("send group result (all games of all participants)")
    when = GroupFinished
    to_whom = Audience.GROUP
    discloses = frozenset({Disclosed.TEAMS, Disclosed.RANKINGS, Disclosed.GAMES})

    def write(self, mailing: Mailing[GroupFinished], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        group = mailing.group
        outcome, own = group.outcome, group.own_games
        is_melee = group.shape is scores.Shape.MELEE
        return self.same_mail(
            mailing,
            wanting,
            paragraphs=() if is_melee else group_paragraphs(outcome, own, group.shape, mailing.game),
            melees=group.melees,
            score=scores.winners_score(outcome, own) if outcome.plan.title else None,
            **group.for_all,
        )
