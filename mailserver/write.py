"""Writes a decision down: what changes, the ledger's entries, the mails within the limits. All is
one transaction.

What the organizer changes is written by `mailserver/write_action.py`, for the command line, too.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from contest.language import gettext, noted, speaking, spoken
from contest.ledger.receipts import LedgerEntry, Receipt
from contest.model import CountedAnswer, LetterQuestion, Order, Outgoing, Scope, Team, TeamState
from mailserver.command import (
    CONFIRM_ANSWER,
    QUESTIONS,
    LetterContext,
    LetterWaits,
)
from mailserver.decision import (
    Answer,
    Decision,
    Entry,
    Hear,
    KeepCosignature,
    LetterChange,
    Log,
    OfferString,
    OrganizerChange,
    PassedOn,
    Practise,
    Question,
    Register,
    SetAddress,
    SetReports,
    Submit,
    Withdraw,
)
from mailserver.for_organizer import pass_letter_on, tell_of_limit
from mailserver.limits import (
    HOUR,
    MAX_CONFIRMATION_DAYS,
    MAX_STRANGERS_BYTES,
    MAX_UNPROVED_MAIL_BYTES,
    Limit,
    Quota,
    Room,
    quotas,
)
from mailserver.reading import addresses
from mailserver.team_secret import digest, new_string
from mailserver.write_action import write_change, write_log
from store import (
    answers,
    decisions,
    ledger,
    outbox,
    practices,
    submissions,
    teams,
)

_LEFT_OUT = noted("[The rest is left out: this mail would be too long.]")


def write(context: LetterContext, decision: Decision) -> str:
    """Make the changes, append the entries to the ledger, and queue the mails.

    Returns the note for the journal, which also says why there is no mail if there is none. Raises
    LetterWaits where a template's limit says so.
    """
    answer, receipt, note = decision.answer, None, decision.note
    for change in decision.changes:
        if isinstance(change, Register):
            answer = change.answer(_register(context, change))
        else:
            _change(context, change)
    for entry in decision.entries:
        receipt = _record(context, entry)
    for mail in decision.before:
        note = _send(context, mail, note)
    if answer:
        note = _send(context, answer, note, receipt)
    for notice in decision.after:
        note = _send(context, notice, note)
    return note


def _register(context: LetterContext, form: Register) -> Team:
    """Write the team; the organizer reads of it in the list of teams."""
    if form.is_proved:
        answers.set_proved(context.tx, addresses.mailbox_of(form.registration.address))
    return teams.add(
        context.tx,
        form.registration,
        requested_name=form.requested_name,
        state=form.state,
        auth_digest=form.digest,
        letter_id=context.stored.id,
        now=context.stored.received_at,
        flags=form.flags,
        is_proved=form.is_proved,
        returning=form.earlier.id if form.earlier else None,
    )


def _change(context: LetterContext, change: LetterChange | OrganizerChange) -> None:
    """Write what changes. Who reads the log learns what has become of a team by a letter."""
    tx, letter_id = context.tx, context.stored.id
    match change:
        case Hear(team):
            teams.set_proved(tx, team.id)
            answers.set_proved(tx, addresses.mailbox_of(team.address))
        case Submit():
            _submit(context, change)
        case Practise():
            _practise(context, change)
        case SetReports(team, codes):
            teams.set_preferences(tx, team.id, codes)
        case Withdraw(team):
            teams.set_state(tx, team.id, TeamState.WITHDRAWN)
            text = f"{team.name} has withdrawn, by its letter {letter_id}"
            write_log(context, Log("teams", text))
        case SetAddress(team, address):
            teams.set_address(tx, team.id, address)
            text = f"the mail-address of {team.name} is {address} now, was {team.address}"
            write_log(context, Log("teams", f"{text}: letter {letter_id}"))
        case OfferString(team, digest_of_string):
            teams.offer_auth_digest(tx, team.id, digest_of_string)
            text = f"{team.name} was sent a new string, by letter {letter_id}"
            write_log(context, Log("teams", text))
        case KeepCosignature(number, key, signature):
            ledger.keep_cosignature(tx, number, key, signature)
        case _:
            write_change(context, change)


def _submit(context: LetterContext, change: Submit) -> None:
    program = change.program
    submissions.add(
        context.tx,
        change.team.id,
        context.stored.id,
        program.files,
        context.stored.received_at,
        program=program.program,
        description=program.description,
        repairs=program.repairs,
        reply_to=context.letter.message_id,
    )


def _practise(context: LetterContext, change: Practise) -> None:
    program = change.program
    practices.add(
        context.tx,
        change.team.id,
        context.stored.id,
        context.now,
        files=program.files,
        program=program.program,
        description=program.description,
        repairs=program.repairs,
        reply_to=context.letter.message_id,
    )


def _record(context: LetterContext, entry: Entry) -> Receipt:
    """Append what this letter has done to the ledger."""
    stored = context.stored
    return ledger.append(
        context.tx, LedgerEntry(entry.effect, entry.team, stored.received_at, stored.digest)
    )


def _send(
    context: LetterContext,
    mail: Answer | Question | PassedOn,
    note: str,
    receipt: Receipt | None = None,
) -> str:
    """Queue the mail, or ask first. Returns the note, with what became of the mail if it is the
    letter's answer, or the letter itself."""
    if isinstance(mail, PassedOn):
        return f"{note}, {_pass_on(context, mail)}"
    if isinstance(mail, Question):
        return _ask(context, mail, note)
    became = _queue(context, mail, note, receipt)
    return note if mail.is_notice else became


def _pass_on(context: LetterContext, mail: PassedOn) -> str:
    rendered = context.renderer.render(mail.template, **mail.facts)
    return pass_letter_on(context, context.stored, mail.kind, rendered)


def _queue(context: LetterContext, answer: Answer, note: str, receipt: Receipt | None) -> str:
    """If the letter proved nothing and the mail is too long for that, it becomes the question
    whether it is wanted, or is cut."""
    template, to = answer.template, answer.to
    if answer.once_in and context.count_answered(template, to, answer.once_in):
        return f"{note}; answered already within the last {answer.once_in // HOUR} h"
    room = _room_for(context, template, to)
    if left_out := _left_out(context, answer, room):
        return f"{note}; not answered: {left_out}"
    outgoing = _outgoing(context, answer, room, receipt)
    surplus = _surplus_bytes(context, outgoing)
    if surplus > 0 and not _counts_as_proved(context, template, to):
        if not answer.is_notice and _may_ask(context, answer):
            return _ask(context, Question(CONFIRM_ANSWER, to), note)
        outgoing = replace(outgoing, attachments=())
        surplus = _surplus_bytes(context, outgoing)
    if surplus > 0:
        outgoing = replace(outgoing, body=_cut(outgoing.body, surplus, answer.whole))
    outbox.put(context.tx, outgoing, context.settings, context.now)
    answers.add(context.tx, counted(context, template, to))
    return note


def _ask(context: LetterContext, question: Question, note: str) -> str:
    """Ask the reader for a reply."""
    note = f"{note}; the address is asked for a reply"
    template, to = question.template, question.to
    if left_out := _left_out(context, question, _room_for(context, template, to)):
        return f"{note}; not asked: {left_out}"
    facts = {
        "until": context.now + timedelta(days=MAX_CONFIRMATION_DAYS),
        "received_at": context.stored.received_at,
        "team_name": question.team_name,
        "reason": question.reason,
        "command": next(iter(context.command.subjects(context.settings)), ""),
    }
    answer = Answer(template, to, facts, confirms=LetterQuestion(context.stored.id, to))
    return _queue(context, answer, note, receipt=None)


def _outgoing(
    context: LetterContext, answer: Answer, room: Room, receipt: Receipt | None
) -> Outgoing:
    """Return the mail, in the language of its team. What it tells about a limit that it uses up is
    nothing to the reader of a notice, who has not asked for anything."""
    team = answer.of_team
    quota, silent_until = (None, None) if answer.is_notice else room.last()
    token = _new_token(context, answer.confirms) if answer.confirms else ""
    language = (team.language if team else "") or spoken()
    with speaking(language):
        facts = {"team": team, **answer.facts}
        rendered = context.renderer.render(
            answer.template,
            token=token,
            is_between=context.is_between,
            quota=quota,
            silent_until=silent_until,
            **facts,
        )
    return Outgoing(
        key=_key(context, answer, token),
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


def _new_token(context: LetterContext, order: Order) -> str:
    """Return a token for one mail. Its return confirms the order."""
    token = new_string()
    decisions.ask_confirmation(context.tx, digest(token), order, context.now)
    return token


def _key(context: LetterContext, answer: Answer, token: str) -> str:
    """Of a mail with a token, or without one."""
    key = f"letter/{context.stored.id}/{answer.template}"
    return f"{key}/{digest(token)}" if token else key


def _may_ask(context: LetterContext, answer: Answer) -> bool:
    """Return whether the writer can be asked if this mail, which is long, is wanted."""
    is_askers = context.limits[answer.template] is Limit.DROP and answer.to == context.writer
    return is_askers and answer.template not in QUESTIONS


def _left_out(context: LetterContext, mail: Answer | Question, room: Room) -> str:
    """Return why this mail is left out; "" = it may go out. Raises LetterWaits."""
    full = room.full()
    if full is None:
        return ""
    scope = full.quota.scope
    value = getattr(counted(context, mail.template, mail.to), scope.value, "")
    limit = f"{scope} {value}".strip()
    is_wide = scope not in (Scope.MAILBOX, Scope.WRITER)
    if full.quota.waits:
        raise LetterWaits(limit, full.for_one, context.network, is_wide)
    if is_wide:
        tell_of_limit(context, limit)
    return f"the limit of {limit} is used up"


def _surplus_bytes(context: LetterContext, outgoing: Outgoing) -> int:
    """Return how many bytes the mail has too many for its reader."""
    if not _counts_as_proved(context, outgoing.kind, outgoing.to):
        return outbox.size(outgoing, context.settings, context.now) - MAX_UNPROVED_MAIL_BYTES
    if outgoing.team_id is not None:
        return 0
    attached = sum(len(attachment.data) for attachment in outgoing.attachments)
    return len(outgoing.body.encode()) + attached - MAX_STRANGERS_BYTES


def _cut(body: str, surplus: int, whole: str) -> str:
    """Return the body without this many bytes, cut at the end of a line, but not above the end of
    `whole`."""
    left_out = f"\n{gettext(_LEFT_OUT)}\n"
    room = max(0, len(body.encode()) - surplus - len(left_out.encode()))
    kept = body.encode()[:room].decode(errors="ignore").rpartition("\n")[0]
    end = body.find(whole) + len(whole)
    return max(kept, body[:end], key=len) + "\n" + left_out


# --- what the limits leave ------------------------------------------------------------------------
def has_room(context: LetterContext, template: str, to: str) -> bool:
    """Return whether a mail of this template may go out to this address now."""
    return _room_for(context, template, to).full() is None


def counted(context: LetterContext, template: str, to: str) -> CountedAnswer:
    """This mail, as the limits count it."""
    mailbox = addresses.mailbox_of(to)
    return CountedAnswer(
        at=context.now,
        letter_id=context.stored.id,
        template=template,
        mailbox=mailbox,
        family=addresses.family_of(mailbox),
        domain=addresses.provider_of(addresses.domain_of(mailbox)),
        writer=addresses.mailbox_of(context.writer),
        network=context.network,
        proved=_counts_as_proved(context, template, to),
    )


def _counts_as_proved(context: LetterContext, template: str, to: str) -> bool:
    """Return whether this mail, by its template or by the letter, bothers nobody else."""
    return context.limits[template] is Limit.NONE or context.is_proved(to)


def _room_for(context: LetterContext, template: str, to: str) -> Room:
    """Return what the limits say about one more mail of this template to this address."""
    kept = _quotas(context, template, to)
    asked = tuple(dict.fromkeys((*kept, *(quota.unless for quota in kept if quota.unless))))
    wanted = [
        answers.Counted(quota.scope, context.now - quota.span, quota.unproved, quota.templates)
        for quota in asked
    ]
    like = counted(context, template, to)
    newest = answers.newest(context.tx, like, wanted, [max(quota.mails - 2, 0) for quota in asked])
    free = {
        quota: quota.free(times, context.now) for quota, times in zip(asked, newest, strict=True)
    }
    return Room(kept, free, context.now)


def _quotas(context: LetterContext, template: str, to: str) -> tuple[Quota, ...]:
    limit = context.limits[template]
    kinds = (limit,) if limit is Limit.WAIT else (Limit.DROP, Limit.TELL)
    alike = tuple(other for other, its_limit in context.limits.items() if its_limit in kinds)
    return quotas(
        limit,
        _counts_as_proved(context, template, to),
        context.settings.mail.answers_per_hour,
        alike,
        context.network,
        is_invited=context.is_invited(to),
    )
