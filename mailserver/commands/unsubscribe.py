"""`unsubscribe` or `stop`: no reports from now on. Mail programs send it from their button (RFC 2369).

Such a letter is empty, so coming from the address of the team or the observer is enough. Anybody could forge
that: the answer says how to come back.
"""

from __future__ import annotations

from contest.config.settings import Settings
from contest.ledger.receipts import Effect
from contest.model import Team, TeamState
from contest.store import contest_state, observers, teams
from mailserver import authentication
from mailserver.command import Arguments, Command, LetterContext, by_template
from mailserver.limits import Limit
from mailserver.reading.authentication_results import Authenticity
from mailserver.reading.registration_form import sample_preferences


class Unsubscribe(Command):
    name = "unsubscribe"
    answers = by_template(unsubscribed=Limit.DROP, observer_unsubscribed=Limit.DROP)

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        return ("unsubscribe", "stop")

    def recognise(self, subject: str, settings: Settings) -> Arguments | None:
        return () if subject.casefold() in self.subjects(settings) else None

    def handle(self, context: LetterContext, arguments: Arguments) -> str:
        if authentication.has_from_line(context):
            team = authentication.writer_of(context, self)
            return team if isinstance(team, str) else _end_reports(context, team)
        found = authentication.claimed_by(context)
        if context.authenticity is Authenticity.FAIL:
            return authentication.refuse(
                context, found.address if found else context.writer, self, "forged", team=found
            )
        others = _end_what_others_get(context)
        if found is not None and found.state is TeamState.ACTIVE:
            return _end_reports(context, found)
        return others or authentication.refuse(context, context.writer, self, "no reports")


COMMAND = Unsubscribe()


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


def _end_what_others_get(context: LetterContext) -> str | None:
    """End what the writer gets as an observer, or as copies of teams' mails, and answer.

    Returns a note for the journal; None: there was nothing to end, and there is no answer.
    """
    tx, address = context.tx, context.writer
    was_observer = observers.remove(tx, address)
    copied = teams.with_copy_address(tx, address)
    for team in copied:
        teams.set_copy_address(tx, team.id, None)
        context.record(Effect.COPIES_CHANGED, team.name)
    names = [team.name for team in copied]
    if not was_observer and not names:
        return None
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
