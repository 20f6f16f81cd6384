"""GRP: the points of a team's games (K93)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contest.interfaces.events import GroupFinished
from contest.language import noted
from contest.model import Outgoing, Team
from reports.kinds.base import Audience, Disclosed, Mailing, Report


class OwnGamesReport(Report[GroupFinished]):
    code = "GRP"
    meaning = noted("send game result (points) for each of my games")
    when = GroupFinished
    to_whom = Audience.GROUP
    contained_in = "DGP"
    discloses = frozenset({Disclosed.OWN_GAMES})

    def write(self, mailing: Mailing[GroupFinished], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        return (self.own_mail(mailing, team, mailing.group.for_member(team.name)) for team in wanting)
