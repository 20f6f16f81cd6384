"""Writes a decision down: what changes, the ledger's entry, the mails within the limits.

New teams and programs have been written before, by the functions that decide about them: their
numbers are in the answers. All is one transaction.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from contest.language import gettext, noted, speaking, spoken
from contest.ledger.receipts import LedgerEntry, Receipt
from contest.model import Outgoing, Scope, TeamState
from mailserver.command import (
    CONFIRM_ANSWER,
    QUESTIONS,
    LetterContext,
    LetterWaits,
)
from mailserver.decision import (
    Answer,
    Change,
    Decision,
    Entry,
    OfferString,
    Question,
    SetAddress,
    SetReports,
    Withdraw,
)
from mailserver.for_organizer import tell_of_limit
from mailserver.limits import (
    HOUR,
    MAX_CONFIRMATION_DAYS,
    MAX_STRANGERS_BYTES,
    MAX_UNPROVED_MAIL_BYTES,
    Limit,
    Room,
)
from mailserver.team_secret import digest
from store import answers, contest_state, ledger, outbox, teams

_LEFT_OUT = noted("[The rest is left out: this mail would be too long.]")


def write(context: LetterContext, decision: Decision) -> str:
    """Make the change, append the entry to the ledger, and queue the mails.

    Returns the note for the journal, which also says why there is no mail if there is none. Raises
    LetterWaits where a template's limit says so.
    """
    if decision.change:
        _change(context, decision.change)
    receipt = record(context, decision.entry) if decision.entry else None
    note = decision.note
    for mail in decision.before:
        note = _send(context, mail, note)
    if decision.answer:
        note = _send(context, decision.answer, note, receipt)
    for notice in decision.after:
        note = _send(context, notice, note)
    return note


def _change(context: LetterContext, change: Change) -> None:
    """Change the team. All but its choice of reports has a line in the log."""
    tx, letter_id = context.tx, context.stored.id
    match change:
        case SetReports(team, codes):
            teams.set_preferences(tx, team.id, codes)
            return
        case Withdraw(team):
            teams.set_state(tx, team.id, TeamState.WITHDRAWN)
            text = f"{team.name} has withdrawn, by its letter {letter_id}"
        case SetAddress(team, address):
            teams.set_address(tx, team.id, address)
            text = f"the mail-address of {team.name} is {address} now, was {team.address}"
            text = f"{text}: letter {letter_id}"
        case OfferString(team, digest_of_string):
            teams.offer_auth_digest(tx, team.id, digest_of_string)
            text = f"{team.name} was sent a new string, by letter {letter_id}"
    contest_state.note(tx, "teams", text, context.now)


def record(context: LetterContext, entry: Entry) -> Receipt:
    """Append what this letter has done to the ledger."""
    stored = context.stored
    return ledger.append(
        context.tx, LedgerEntry(entry.effect, entry.team, stored.received_at, stored.digest)
    )


def _send(
    context: LetterContext, mail: Answer | Question, note: str, receipt: Receipt | None = None
) -> str:
    """Queue the mail, or ask first. Returns the note, with what became of the mail if it is the
    letter's answer."""
    if isinstance(mail, Question):
        return _ask(context, mail, note)
    became = _queue(context, mail, note, receipt)
    return note if mail.is_notice else became


def _queue(context: LetterContext, answer: Answer, note: str, receipt: Receipt | None) -> str:
    """If the letter proved nothing and the mail is too long for that, it becomes the question
    whether it is wanted, or is cut."""
    template, to = answer.template, answer.to
    if answer.once_in and context.count_answered(template, to, answer.once_in):
        return f"{note}; answered already within the last {answer.once_in // HOUR} h"
    room = context.room(template, to)
    if left_out := _left_out(context, answer, room):
        return f"{note}; not answered: {left_out}"
    outgoing = _outgoing(context, answer, room, receipt)
    surplus = _surplus_bytes(context, outgoing)
    if surplus > 0 and not context.counts_as_proved(template, to):
        if not answer.is_notice and _may_ask(context, answer):
            return _ask(context, Question(CONFIRM_ANSWER, to), note)
        outgoing = replace(outgoing, attachments=())
        surplus = _surplus_bytes(context, outgoing)
    if surplus > 0:
        outgoing = replace(outgoing, body=_cut(outgoing.body, surplus, answer.whole))
    outbox.put(context.tx, outgoing, context.settings, context.now)
    answers.add(context.tx, context.counted(template, to))
    return note


def _ask(context: LetterContext, question: Question, note: str) -> str:
    """Ask the reader for a reply."""
    note = f"{note}; the address is asked for a reply"
    template, to = question.template, question.to
    if left_out := _left_out(context, question, context.room(template, to)):
        return f"{note}; not asked: {left_out}"
    facts = {
        "until": context.now + timedelta(days=MAX_CONFIRMATION_DAYS),
        "received_at": context.stored.received_at,
        "team_name": question.team_name,
        "reason": question.reason,
        "command": next(iter(context.command.subjects(context.settings)), ""),
    }
    answer = Answer(template, to, facts, token=context.new_token(to))
    return _queue(context, answer, note, receipt=None)


def _outgoing(
    context: LetterContext, answer: Answer, room: Room, receipt: Receipt | None
) -> Outgoing:
    """The mail, in the language of its team. What it tells about a limit that it uses up is nothing
    to the reader of a notice, who has not asked for anything."""
    team = answer.of_team
    quota, silent_until = (None, None) if answer.is_notice else room.last()
    language = (team.language if team else "") or spoken()
    with speaking(language):
        facts = {"team": team, **answer.facts}
        rendered = context.renderer.render(
            answer.template,
            token=answer.token,
            is_between=context.is_between,
            quota=quota,
            silent_until=silent_until,
            **facts,
        )
    return Outgoing(
        key=_key(context, answer),
        kind=answer.template,
        to=answer.to,
        subject=rendered.subject,
        body=rendered.body,
        team_id=team.id if team else None,
        attachments=answer.attachments,
        in_reply_to=context.letter.message_id,
        letter_id=None if answer.is_notice else context.stored.id,
        team=team.name if team else "",
        receipt=receipt,
        language=language,
    )


def _key(context: LetterContext, answer: Answer) -> str:
    """Of a mail with a token, or without one."""
    key = f"letter/{context.stored.id}/{answer.template}"
    return f"{key}/{digest(answer.token)}" if answer.token else key


def _may_ask(context: LetterContext, answer: Answer) -> bool:
    """Whether the writer can be asked if this mail, which is long, is wanted."""
    is_askers = context.limits[answer.template] is Limit.DROP and answer.to == context.writer
    return is_askers and answer.template not in QUESTIONS


def _left_out(context: LetterContext, mail: Answer | Question, room: Room) -> str:
    """Why this mail is left out; "" = it may go out. Raises LetterWaits."""
    full = room.full()
    if full is None:
        return ""
    scope = full.quota.scope
    value = getattr(context.counted(mail.template, mail.to), scope.value, "")
    limit = f"{scope} {value}".strip()
    is_wide = scope not in (Scope.MAILBOX, Scope.WRITER)
    if full.quota.waits:
        raise LetterWaits(limit, full.for_one, context.network, is_wide)
    if is_wide:
        tell_of_limit(context.tx, limit, context.settings, context.renderer, context.now)
    return f"the limit of {limit} is used up"


def _surplus_bytes(context: LetterContext, outgoing: Outgoing) -> int:
    """How many bytes the mail has too many for its reader."""
    if not context.counts_as_proved(outgoing.kind, outgoing.to):
        return outbox.size(outgoing, context.settings, context.now) - MAX_UNPROVED_MAIL_BYTES
    if outgoing.team_id is not None:
        return 0
    attached = sum(len(attachment.data) for attachment in outgoing.attachments)
    return len(outgoing.body.encode()) + attached - MAX_STRANGERS_BYTES


def _cut(body: str, surplus: int, whole: str) -> str:
    """The body without this many bytes, cut at the end of a line, but not above the end of
    `whole`."""
    left_out = f"\n{gettext(_LEFT_OUT)}\n"
    room = max(0, len(body.encode()) - surplus - len(left_out.encode()))
    kept = body.encode()[:room].decode(errors="ignore").rpartition("\n")[0]
    end = body.find(whole) + len(whole)
    return max(kept, body[:end], key=len) + "\n" + left_out
