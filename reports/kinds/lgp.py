"""LGP: the names of a group's participants (K92)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contest.interfaces.events import GroupStarted
from contest.language import noted
from contest.model import Outgoing, Team
from reports import scores
from reports.kinds.base import Audience, Disclosed, Mailing, Report


class GroupParticipants(Report[GroupStarted]):
    code = "LGP"
    meaning = noted("send list of my groups' participants (team names only)")
    when = GroupStarted
    to_whom = Audience.GROUP
    discloses = frozenset({Disclosed.TEAMS})

    def write(self, mailing: Mailing[GroupStarted], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        """Members that are out are named separately, and games with them are not counted.

        A pairing of two needs both players; a game of all is played if two are left.
        """
        event = mailing.event
        plan, out = event.plan, event.out
        members = sorted(plan.members, key=str.casefold)
        return self.same_mail(
            mailing,
            wanting,
            plan=plan,
            is_final=event.final,
            members=[name for name in members if name not in out],
            out=[name for name in members if name in out],
            pairings=[p for p in plan.pairings if sum(name not in out for name in p.players) >= 2],
            shape=scores.shape_of(plan, mailing.game),
        )
