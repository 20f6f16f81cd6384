"""Replies to our questions: the letter in question is handled again, now as its reader's own.

We ask before we do something for an address that may be a forged one (`LetterContext.ask`). The question has
a token in its subject, and its Message-ID follows from the token, so a stranger can compute neither.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta

from contest.model import LetterQuestion
from contest.store import Transaction, decisions, letters, outbox
from mailserver.command import LetterContext
from mailserver.commands import Recognised, organizer, recognise, unknown
from mailserver.limits import MAX_CONFIRMATION_DAYS, Limit
from mailserver.reading import addresses
from mailserver.reading.letter import Letter, parse
from mailserver.team_secret import digest

_VOID = "confirmation_void"
ANSWERS = {"confirmation_void": Limit.DROP}
_DIGEST = re.compile(r"letter/[0-9]+/[a-z_]+/([0-9a-f]{64})")


@dataclass(frozen=True)
class Reply:
    """A letter replies to the question with this token, which was about another letter."""

    token_digest: str
    question: LetterQuestion
    is_used: bool


def find_reply(tx: Transaction, letter: Letter, meant: Recognised) -> Reply | None:
    """The question that this letter replies to; `meant` is what its subject says.

    A reply whose subject is another command is that command.
    """
    if meant.command is organizer.CONFIRM:
        digests: tuple[str, ...] = (digest(meant.arguments[0]),)
    elif meant.command is unknown.COMMAND and letter.in_reply_to:
        keys = outbox.keys_of(tx, letter.in_reply_to)
        digests = tuple(found[1] for key in keys if (found := _DIGEST.fullmatch(key)))
    else:
        return None
    for each in digests:
        asked = decisions.confirmation(tx, each)
        if asked and isinstance(asked.order, LetterQuestion):
            return Reply(each, asked.order, asked.used_at is not None)
    return None


def handle_reply(context: LetterContext, reply: Reply) -> str:
    """Handle the letter in question again. Returns a note for the journal."""
    to, letter_id = reply.question.to, reply.question.letter_id
    confirmed = replace(context, writer=to, proved=frozenset({addresses.mailbox_of(to)}), is_confirmed=True)
    age = timedelta(days=MAX_CONFIRMATION_DAYS)
    stored = letters.get(context.tx, letter_id)
    if stored is None or not decisions.take_confirmation(context.tx, reply.token_digest, context.now, age):
        note = f"letter {letter_id} was confirmed {'before' if reply.is_used else 'too late'}"
        return confirmed.answer(_VOID, to, note=note, is_used=reply.is_used, days=MAX_CONFIRMATION_DAYS)
    letter = parse(stored.raw)
    command, arguments = recognise(letter.subject, context.settings)
    note = command.handle(replace(confirmed, stored=stored, letter=letter, command=command), arguments)
    return f"letter {letter_id} is confirmed: {note}"
