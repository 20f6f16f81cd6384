"""`subscribe` and `unsubscribe`: observers get the announcement and the summaries of the rounds.

An observer confirms by an answer, so nobody is subscribed by somebody else. To unsubscribe takes one letter,
as mail programs send it from a button; a forged one is a nuisance, and the answer says how to come back.
"""

from __future__ import annotations

from contest.config.settings import Settings
from contest.store import contest_state, observers, teams
from mailserver.attachments import announcement_texts
from mailserver.command import Arguments, Command, LetterContext, Limit, by_template


class Subscribe(Command):
    """It has no arguments: the writer's address is subscribed."""

    name = "subscribe"
    answers = by_template(address_confirm=Limit.DROP, observer_subscribed=Limit.DROP, call=Limit.DROP)

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        return ("subscribe",)

    def handle(self, context: LetterContext, arguments: Arguments) -> str:
        if not context.is_confirmed:
            note = f"{context.writer} wants to observe the contest"
            return context.ask("address_confirm", context.writer, note=note, reason="observer")
        if observers.add(context.tx, context.writer, context.now):
            text = f"{context.writer} observes the contest, by its letter {context.stored.id}"
            contest_state.note(context.tx, "observers", text, context.now)
        texts = announcement_texts(context.settings)
        note = context.answer(
            "observer_subscribed", context.writer, note=f"{context.writer} observes the contest"
        )
        return context.answer("call", context.writer, note=note, form=texts.form, rules=texts.rules)


class Unsubscribe(Command):
    """It has no arguments: the writer's address is unsubscribed."""

    name = "unsubscribe"
    answers = by_template(observer_unsubscribed=Limit.DROP)

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        return ("unsubscribe",)

    def handle(self, context: LetterContext, arguments: Arguments) -> str:
        return end(context) or _answer(context, was_observer=False, names=[])


SUBSCRIBE, UNSUBSCRIBE = Subscribe(), Unsubscribe()


def end(context: LetterContext) -> str | None:
    """End what the writer's address gets as an observer, or as copies of teams' mails, and answer.

    Returns a note for the journal; None: it gets neither, and there is no answer.
    """
    tx, address = context.tx, context.writer
    was_observer = observers.remove(tx, address)
    copied = teams.with_copy_address(tx, address)
    for team in copied:
        teams.set_copy_address(tx, team.id, None)
    names = [team.name for team in copied]
    if not was_observer and not names:
        return None
    left = (*(["the contest"] if was_observer else []), *(f"the mails to {name}" for name in names))
    text = f"{address} unsubscribed from {', '.join(left)}: letter {context.stored.id}"
    contest_state.note(tx, "observers", text, context.now)
    return _answer(context, was_observer=was_observer, names=names)


def _answer(context: LetterContext, *, was_observer: bool, names: list[str]) -> str:
    return context.answer(
        "observer_unsubscribed",
        context.writer,
        note=f"{context.writer} unsubscribes",
        was_observer=was_observer,
        names=names,
        team=teams.by_address(context.tx, context.writer),
    )
