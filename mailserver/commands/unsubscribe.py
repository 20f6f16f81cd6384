"""`unsubscribe` or `stop`: no reports from now on. Mail programs send it from their button (RFC 2369).

Such a letter is empty, and anybody can forge its sender. The button's letter has a token of the address that
the report went to; where a letter proves nothing, the address is asked first.
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
from mailserver.command import Arguments, Command, LetterContext, by_template
from mailserver.limits import Limit
from mailserver.reading.authentication_results import Authenticity
from mailserver.reading.registration_form import sample_preferences

_QUESTION = "address_confirm"
_WITH_TOKEN = re.compile(r"unsubscribe ([0-9a-f]{32})")


class Unsubscribe(Command):
    name = "unsubscribe"
    answers = by_template(
        address_confirm=Limit.DROP, unsubscribed=Limit.NONE, observer_unsubscribed=Limit.NONE
    )

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        return ("unsubscribe", "stop")

    def recognise(self, subject: str, settings: Settings) -> Arguments | None:
        if subject.casefold() in self.subjects(settings):
            return ()
        found = _WITH_TOKEN.fullmatch(subject.casefold())
        return (found[1],) if found else None

    def handle(self, context: LetterContext, arguments: Arguments) -> str:
        if authentication.has_from_line(context):
            writer = authentication.writer_of(context, self)
            return writer if isinstance(writer, str) else _end_reports(context, writer)
        address = _address_with(context, arguments[0]) if arguments else ""
        is_shown = bool(address) or context.is_confirmed
        found = teams.by_address(context.tx, address) if address else authentication.claimed_by(context)
        address = address or (found.address if found else context.writer)
        if context.authenticity is Authenticity.FAIL and not is_shown:
            return authentication.refuse(context, address, self, "forged", team=found)
        active = found if found and found.state is TeamState.ACTIVE else None
        team = active if active and active.registration.preferences else None
        if team is None and not _gets_others(context, address):
            return authentication.refuse(context, address, self, "no reports", team=active)
        if not is_shown and not context.is_proved(address):
            return context.ask(_QUESTION, address, note=f"{address} unsubscribes", reason="unsubscribe")
        others = _end_what_others_get(context, address)
        return _end_reports(context, team) if team else others


COMMAND = Unsubscribe()


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
        team=team,
        command=f"mail-preference {','.join(before)}" if before else _sample(context.settings),
    )


def _gets_others(context: LetterContext, address: str) -> bool:
    """Whether the address gets mails as an observer, or copies of teams' mails."""
    return observers.is_one(context.tx, address) or bool(teams.with_copy_address(context.tx, address))


def _end_what_others_get(context: LetterContext, address: str) -> str:
    """End what the address gets as an observer, or as copies of teams' mails, and answer.

    Returns a note for the journal; "": there was nothing to end, and there is no answer.
    """
    tx = context.tx
    was_observer = observers.remove(tx, address)
    copied = teams.with_copy_address(tx, address)
    for team in copied:
        teams.set_copy_address(tx, team.id, None)
        context.record(Effect.COPIES_CHANGED, team.name)
    names = [team.name for team in copied]
    if not was_observer and not names:
        return ""
    left = (*(["the contest"] if was_observer else []), *(f"the mails to {name}" for name in names))
    text = f"{address} unsubscribed from {', '.join(left)}: letter {context.stored.id}"
    contest_state.note(tx, "observers", text, context.now)
    return context.answer(
        "observer_unsubscribed",
        address,
        note=f"{address} unsubscribes",
        was_observer=was_observer,
        names=names,
    )


def _sample(settings: Settings) -> str:
    return sample_preferences(settings).replace(":", "", 1)
