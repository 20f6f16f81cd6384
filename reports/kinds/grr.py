"""GRR: the ranking of a group (K93)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contest.language import noted
from contest.model import Outgoing, Team
from reports.kinds.base import Audience, Disclosed, GroupFinished, Report


class GroupRanking(Report[GroupFinished]):
    code = "GRR"
    meaning = noted("send group result (ranking)")
    when = GroupFinished
    to_whom = Audience.GROUP
    contained_in = "RSM"
    discloses = frozenset({Disclosed.TEAMS, Disclosed.RANKINGS})

    def write(self, event: GroupFinished, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        return self.same_mail(event, wanting, **event.facts)
