"""`resend authentification`: a new string for a team that has lost its own.

The writer cannot prove anything. So the letter must come from the registered address, the string
goes nowhere else, there are only a few in a day, and the old one stays valid until the new one is
used: a forged letter costs the team a mail, and no more. Where our own mail server says that the
address is forged, not even that.
"""

from __future__ import annotations

from contest.config.settings import Settings
from contest.ledger.receipts import Effect
from contest.model import Phase, Team, TeamState
from mailserver import authentication
from mailserver.command import Arguments, Command, LetterContext
from mailserver.decision import Answer, Decision, Entry, OfferString
from mailserver.limits import DAY, Limit
from mailserver.reading.authentication_results import Authenticity
from mailserver.team_secret import digest, new_string

MAX_PER_DAY = 2


def _reason_against(context: LetterContext, team: Team) -> str:
    """Return why the team gets no new string; "" = it does."""
    if team.state is not TeamState.ACTIVE:
        return str(team.state)
    if context.phase is Phase.FINISHED:
        return "finished"
    if context.proof.authenticity is Authenticity.FAIL:
        return "forged"
    return (
        "too often"
        if context.count_answered("new_string", team.address, DAY) >= MAX_PER_DAY
        else ""
    )


def _resend(context: LetterContext, _arguments: Arguments) -> Decision:
    team = authentication.claimed_by(context)
    if team is None:
        return authentication.refuse(context, context.writer, "no team")
    if reason := _reason_against(context, team):
        return authentication.refuse(context, team.address, reason, team=team)
    string = new_string()
    return Decision(
        f"{team.name} got a new authentification string",
        Answer(
            "new_string",
            team.address,
            {
                "string": string,
                "per_day": MAX_PER_DAY,
            },
            of_team=team,
        ),
        changes=(OfferString(team, digest(string)),),
        entries=(Entry(Effect.STRING_OFFERED, team.name),),
    )


def _asks_for_string(subject: str, settings: Settings) -> Arguments | None:
    plain = subject.casefold().removesuffix(" string").replace("re-send", "resend")
    return () if plain in COMMAND.subjects(settings) else None


COMMAND = Command(
    "resend",
    _resend,
    lambda settings: ("resend authentification", "resend authentication"),
    reads=_asks_for_string,
    answers={"new_string": Limit.WAIT},
)
