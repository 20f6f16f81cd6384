"""`withdraw`: a team takes itself out before the contest starts.

We neither play nor publish its programs, and it gets no reports. It keeps its name, because an old
letter in that name must never hit another team (K33). The address is free: registering from it
again brings the same team back with its programs (K29), under the rules of every registration.
"""

from __future__ import annotations

from contest.ledger.receipts import Effect
from contest.model import Phase, Team
from contest.schema.sections import Window
from mailserver import authentication
from mailserver.authentication import team_command
from mailserver.command import Arguments, LetterContext
from mailserver.decision import Answer, Decision, Entry, Withdraw
from mailserver.limits import Limit
from store import decisions, submissions


def _withdraw(context: LetterContext, team: Team, _arguments: Arguments) -> Decision:
    tx, phase = context.tx, context.phase
    if phase is not Phase.OPEN:
        return authentication.refuse(context, team.address, str(phase), team=team)
    window = context.settings.dates.registration(phase, context.stored.received_at)
    return Decision(
        f"{team.name} has withdrawn",
        Answer(
            "withdrawn",
            team.address,
            {
                "has_program": submissions.latest_good(tx, team.id) is not None,
                "is_banned": decisions.ban_of(tx, team.id) is not None,
                "can_return": window is Window.OPEN,
            },
            of_team=team,
        ),
        changes=(Withdraw(team),),
        entries=(Entry(Effect.WITHDRAWN, team.name),),
    )


COMMAND = team_command(
    "withdraw", _withdraw, lambda settings: ("withdraw",), answers={"withdrawn": Limit.NONE}
)
