"""`subscribe`: observers get the announcement and the summaries of the rounds.

An observer confirms by an answer, so nobody is subscribed by somebody else.
"""

from __future__ import annotations

from contest.config.settings import Settings
from contest.store import contest_state, observers
from mailserver.attachments import announcement_texts
from mailserver.command import Arguments, Command, LetterContext, by_template
from mailserver.limits import Limit


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
        texts = announcement_texts(context.tx, context.settings)
        note = context.answer(
            "observer_subscribed", context.writer, note=f"{context.writer} observes the contest"
        )
        return context.answer("call", context.writer, note=note, **texts)


COMMAND = Subscribe()
