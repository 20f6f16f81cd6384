"""Replies to our questions: the letter in question is handled again, now as its reader's own.

We ask before we do something for an address that may be a forged one (`LetterContext.ask`). The question has
a token in its subject, which only its reader knows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from contest.store import Transaction, decisions, letters
from mailserver.command import MAX_CONFIRMATION_DAYS, LetterContext, Limit, by_template
from mailserver.commands import Recognised, confirm, recognise
from mailserver.reading.letter import parse
from mailserver.team_secret import digest

_VOID = "confirmation_void"
ANSWERS = by_template(confirmation_void=Limit.DROP)


@dataclass(frozen=True)
class Reply:
    """A letter replies to the question with this token, which was about another letter."""

    token_digest: str
    question: decisions.Confirmation


def find_reply(tx: Transaction, meant: Recognised) -> Reply | None:
    """The question to which a letter with this command in its subject replies."""
    if meant.command is not confirm.COMMAND:
        return None
    token_digest = digest(meant.arguments[0])
    question = decisions.confirmation(tx, token_digest)
    return Reply(token_digest, question) if question and "letter" in question.order else None


def handle_reply(context: LetterContext, reply: Reply) -> str:
    """Handle the letter in question again. Returns a note for the journal."""
    to, letter_id = reply.question.order["to"], reply.question.order["letter"]
    confirmed = replace(context, writer=to, is_confirmed=True)
    age = timedelta(days=MAX_CONFIRMATION_DAYS)
    stored = letters.get(context.tx, letter_id)
    if stored is None or not decisions.take_confirmation(context.tx, reply.token_digest, context.now, age):
        is_used = reply.question.used_at is not None
        note = f"letter {letter_id} was confirmed {'before' if is_used else 'too late'}"
        return confirmed.answer(_VOID, to, note=note, is_used=is_used, days=MAX_CONFIRMATION_DAYS)
    letter = parse(stored.raw)
    command, arguments = recognise(letter.subject, context.settings)
    note = command.handle(replace(confirmed, stored=stored, letter=letter), arguments)
    return f"letter {letter_id} is confirmed: {note}"
