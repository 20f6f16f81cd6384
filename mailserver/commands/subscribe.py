"""`subscribe`: observers get the announcement and the summaries of the rounds. `unsubscribe` or `stop`: no
reports from now on.

An observer confirms by an answer, so nobody is subscribed by somebody else. Mail programs send `unsubscribe`
from their button (RFC 2369). Such a letter is empty, and anybody can forge its sender. The button's letter
has a token of the address that the report went to; where a letter proves nothing, the address is asked first.
"""

from __future__ import annotations

import re
from hmac import compare_digest

from contest.config.settings import Settings
from contest.ledger.receipts import Effect
from contest.mail.compose import unsubscribe_token
from contest.model import Team, TeamState
from contest.store import contest_state, observers, teams
from mailserver import authentication
from mailserver.attachments import announcement_texts
from mailserver.command import Arguments, Command, LetterContext
from mailserver.limits import Limit
from mailserver.reading.authentication_results import Authenticity
from mailserver.reading.registration_form import sample_preferences

_QUESTION = "address_confirm"
_WITH_TOKEN = re.compile(r"unsubscribe ([0-9a-f]{32})")


def _subscribe(context: LetterContext, _arguments: Arguments) -> str:
    """The writer's address is subscribed."""
    if not context.is_confirmed:
        note = f"{context.writer} wants to observe the contest"
        return context.ask(_QUESTION, context.writer, note=note, reason="observer")
    note = f"{context.writer} observes the contest"
    if observers.add(context.tx, context.writer, context.now):
        text = f"{note}, by its letter {context.stored.id}"
        contest_state.note(context.tx, "observers", text, context.now)
    texts = announcement_texts(context.tx, context.settings)
    note = context.answer("observer_subscribed", context.writer, note=note)
    return context.answer("call", context.writer, note=note, **texts)


SUBSCRIBE = Command(
    "subscribe",
    _subscribe,
    lambda settings: ("subscribe",),
    answers={"address_confirm": Limit.DROP, "observer_subscribed": Limit.DROP, "call": Limit.DROP},
)


def _unsubscribe(context: LetterContext, arguments: Arguments) -> str:
    """The argument is the button's token."""
    if authentication.has_from_line(context):
        writer = authentication.writer_of(context)
        return writer if isinstance(writer, str) else _end_reports(context, writer)
    address = _address_with(context, arguments[0]) if arguments else ""
    is_shown = bool(address) or context.is_confirmed
    found = teams.by_address(context.tx, address) if address else authentication.claimed_by(context)
    address = address or (found.address if found else context.writer)
    if context.authenticity is Authenticity.FAIL and not is_shown:
        return authentication.refuse(context, address, "forged", team=found)
    active = found if found and found.state is TeamState.ACTIVE else None
    team = active if active and active.registration.preferences else None
    if team is None and not observers.is_one(context.tx, address):
        return authentication.refuse(context, address, "no reports", team=active)
    if not is_shown and not context.is_proved(address):
        return context.ask(_QUESTION, address, note=f"{address} unsubscribes", reason="unsubscribe")
    others = _end_observing(context, address)
    return _end_reports(context, team) if team else others


def _in_subject(subject: str, _settings: Settings) -> Arguments | None:
    if subject.casefold() in ("unsubscribe", "stop"):
        return ()
    found = _WITH_TOKEN.fullmatch(subject.casefold())
    return (found[1],) if found else None


UNSUBSCRIBE = Command(
    "unsubscribe",
    _unsubscribe,
    lambda settings: ("unsubscribe", "stop"),
    reads=_in_subject,
    answers={"address_confirm": Limit.DROP, "unsubscribed": Limit.NONE, "observer_unsubscribed": Limit.NONE},
)


def _address_with(context: LetterContext, token: str) -> str:
    """The address that this token was sent to; "" = there is none, or it gets nothing any more."""
    secret = contest_state.secret(context.tx)
    reached = (*teams.addresses(context.tx), *observers.all_addresses(context.tx))
    return next((each for each in reached if compare_digest(unsubscribe_token(each, secret), token)), "")


def _end_reports(context: LetterContext, team: Team) -> str:
    before = team.registration.preferences
    teams.set_preferences(context.tx, team.id, ())
    return context.answer(
        "unsubscribed",
        team.address,
        note=f"{team.name} gets no more reports (had {','.join(before) or 'none'})",
        of_team=team,
        receipt=context.record(Effect.PREFERENCE_CHANGED, team.name),
        command=f"mail-preference {','.join(before)}"
        if before
        else sample_preferences(context.settings).replace(":", "", 1),
    )


def _end_observing(context: LetterContext, address: str) -> str:
    """End what the address gets as an observer. Returns a note for the journal; "" = it gets nothing."""
    if not observers.remove(context.tx, address):
        return ""
    text = f"{address} unsubscribed from the contest: letter {context.stored.id}"
    contest_state.note(context.tx, "observers", text, context.now)
    return context.answer("observer_unsubscribed", address, note=f"{address} unsubscribes")
