"""`unsubscribe` or `stop`: no reports from now on.

Mail programs send `unsubscribe` from their button (RFC 2369). Such a letter is empty, and anybody
can forge its sender. The button's letter has a token of the address that the report went to; where
a letter proves nothing, the address is asked first.
"""

from __future__ import annotations

import re
from hmac import compare_digest

from contest.config.settings import Settings
from contest.ledger.receipts import Effect
from contest.mail.compose import unsubscribe_token
from contest.model import Team, TeamState
from mailserver import authentication
from mailserver.command import Arguments, Command, LetterContext
from mailserver.decision import Answer, Decision, Entry, Question, SetReports
from mailserver.limits import DAY, Limit
from mailserver.reading.authentication_results import Authenticity
from mailserver.reading.registration_form import sample_preferences
from store import contest_state, teams

_QUESTION, _SUBJECTS = "unsubscribe_confirm", ("unsubscribe", "stop")
_WITH_TOKEN = re.compile(r"unsubscribe ([0-9a-f]{32})")


def _unsubscribe(context: LetterContext, arguments: Arguments) -> Decision:
    """The argument is the button's token."""
    if authentication.has_from_line(context):
        writer = authentication.writer_of(context)
        return writer if isinstance(writer, Decision) else _end_reports(context, writer)
    reached = _address_with(context, arguments[0]) if arguments else ""
    team = teams.by_address(context.tx, reached) if reached else authentication.claimed_by(context)
    address = team.address if team else context.writer
    is_shown = bool(reached) or context.proof.is_confirmed
    if context.proof.authenticity is Authenticity.FAIL and not is_shown:
        return authentication.refuse(context, address, "forged", team=team)
    if team is None or team.state is not TeamState.ACTIVE:
        return authentication.refuse(context, address, "no reports")
    if not team.registration.preferences:
        return authentication.refuse(context, address, "no reports", team=team)
    if not is_shown and not context.is_proved(address):
        return _ask(context, address)
    return _end_reports(context, team)


def _ask(context: LetterContext, address: str) -> Decision:
    """Ask whoever reads this address, once a day. Over the limits the letter waits: nothing that
    somebody does not want any more goes on because of them."""
    note = f"{address} unsubscribes"
    if context.count_answered(_QUESTION, address, DAY):
        return Decision(f"{note}; asked already within the last day")
    return Decision(note, Question(_QUESTION, address))


def _in_subject(subject: str, _settings: Settings) -> Arguments | None:
    if subject.casefold() in _SUBJECTS:
        return ()
    found = _WITH_TOKEN.fullmatch(subject.casefold())
    return (found[1],) if found else None


COMMAND = Command(
    "unsubscribe",
    _unsubscribe,
    lambda settings: _SUBJECTS,
    reads=_in_subject,
    answers={_QUESTION: Limit.WAIT, "unsubscribed": Limit.NONE},
)


def _address_with(context: LetterContext, token: str) -> str:
    """Return the team's address that this token was sent to; "" = there is none, or it is no team's
    any more."""
    secret = contest_state.secret(context.tx)
    known = teams.addresses(context.tx)
    return next(
        (each for each in known if compare_digest(unsubscribe_token(each, secret), token)), ""
    )


def _end_reports(context: LetterContext, team: Team) -> Decision:
    before = team.registration.preferences
    return Decision(
        f"{team.name} gets no more reports (had {','.join(before) or 'none'})",
        Answer(
            "unsubscribed",
            team.address,
            {
                "command": f"mail-preference {','.join(before)}"
                if before
                else sample_preferences(context.settings).replace(":", "", 1)
            },
            of_team=team,
        ),
        changes=(SetReports(team, ()),),
        entries=(Entry(Effect.PREFERENCE_CHANGED, team.name),),
    )
