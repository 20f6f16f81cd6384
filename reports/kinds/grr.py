"""GRR: the ranking of a group (K93)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contest.interfaces.events import GroupFinished
from contest.language import noted
from contest.model import Outgoing, Team
from reports.kinds.base import Audience, Disclosed, Mailing, Report


class GroupRanking(Report[GroupFinished]):
    code = "GRR"
    meaning = noted("send group result (ranking)")
    when = GroupFinished
    to_whom = Audience.GROUP
    contained_in = "RSM"
    discloses = frozenset({Disclosed.TEAMS, Disclosed.RANKINGS})

    def write(self, mailing: Mailing[GroupFinished], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        return self.same_mail(mailing, wanting, **mailing.group.for_all)
