"""Handles letters: one savepoint changes the contest and queues the answer. A bad letter is set aside."""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from contest.config.settings import Settings
from contest.errors import StoreBusy
from contest.interfaces.protocols import Renderer
from contest.language import speaking
from contest.model import LetterQuestion, LetterState, StoredLetter
from contest.store import Transaction, answers, decisions, letters, outbox
from contest.store.session import savepoint
from contest.util.clock import Clock
from contest.util.log import log
from mailserver import bounces
from mailserver.authentication import proof_in
from mailserver.command import VOID, Command, LetterContext, LetterWaits
from mailserver.commands import COMMANDS, Recognised, answer_limits, organizer, recognise
from mailserver.commands.help import UNKNOWN
from mailserver.commands.registration import welcome_back
from mailserver.for_organizer import pass_letter_on, tell_of_limit
from mailserver.limits import DAY, MAX_CONFIRMATION_DAYS, MINUTE
from mailserver.reading import addresses, mime_parts
from mailserver.reading.authentication_results import Authenticity, authenticity
from mailserver.reading.letter import FROM_LIST, Letter, network_of, parse
from mailserver.team_secret import digest

MAX_COMPARED_LETTERS = 20  # with one Message-ID, so that a stranger who repeats it costs no more


def handle(
    tx: Transaction, stored: StoredLetter, settings: Settings, clock: Clock, renderer: Renderer
) -> tuple[LetterState, str]:
    """Handle a letter that this transaction has read; return what became of it, and a note for the log.

    One savepoint holds all changes, the answer and the letter's state. An unexpected exception rolls it back
    and sets the letter aside as FAILED with the traceback. So does a limit that is used up, where somebody
    needs the answer: then the letter waits. Raises StoreBusy: roll back, and try again.
    """
    with speaking(settings.contest.language):
        try:
            with savepoint(tx):
                letter = parse(stored.raw)
                state, note = _effect(tx, stored, letter, settings, clock, renderer)
                letters.finish(tx, stored.id, state, note, letter.message_id)
            return state, note
        except LetterWaits as waits:
            now = clock.now()
            # Who answers is no stranger any more, which makes room before the time has come.
            letters.wait(tx, stored.id, waits.limit, min(waits.until, now + MINUTE), waits.network)
            if waits.is_wide:
                tell_of_limit(tx, waits.limit, settings, renderer, now)
            return LetterState.WAITING, f"the limit of {waits.limit} is used up until {waits.until}"
        except StoreBusy:
            raise
        except Exception as error:
            log.error("letter set aside", letter=stored.id, exc_info=True)
            letters.finish(tx, stored.id, LetterState.FAILED, traceback.format_exc(), None)
            return LetterState.FAILED, repr(error)


def _effect(
    tx: Transaction,
    stored: StoredLetter,
    letter: Letter,
    settings: Settings,
    clock: Clock,
    renderer: Renderer,
) -> tuple[LetterState, str]:
    came_back = bounces.note(tx, stored, letter, settings, clock.now())
    if came_back:
        return LetterState.HANDLED, came_back
    passed_on = _pass_on(tx, stored, letter, settings, renderer, clock.now())
    if passed_on:
        return LetterState.HANDLED, passed_on
    proof = proof_in(tx, letter) if letter.automatic == FROM_LIST else None
    if proof:  # a team has written to the list, or by one
        letter = replace(letter, automatic="")
    reason = _why_ignored(stored, letter, settings)
    if reason:
        return LetterState.IGNORED, reason
    meant = recognise(letter.subject, settings)
    context = _context(tx, stored, letter, meant.command, settings, clock, renderer)
    earlier = _handled_copy(tx, letter)
    if earlier is not None:
        again = _answer_again(context, earlier)
        return LetterState.IGNORED, f"duplicate of letter {earlier.id}" + (
            "; answered again" if again else ""
        )
    reply = find_reply(tx, letter, meant)
    if reply:
        return LetterState.HANDLED, handle_reply(context, reply)
    proof = proof or proof_in(tx, letter)
    if proof:
        proved = context.proved | {addresses.mailbox_of(proof.team.address)}
        context = replace(context, proof=proof, proved=proved)
    with speaking((proof and proof.team.language) or settings.contest.language):
        refused = welcome_back(context, proof.team) if proof and not proof.team.is_proved else ""
        return LetterState.HANDLED, refused or meant.command.handle(context, meant.arguments)


def _context(
    tx: Transaction,
    stored: StoredLetter,
    letter: Letter,
    command: Command,
    settings: Settings,
    clock: Clock,
    renderer: Renderer,
) -> LetterContext:
    sender = letter.sender
    assert sender is not None, "`_why_ignored` lets no letter without an address pass"  # noqa: S101
    own_server = settings.mail.authserv_id
    found = authenticity(letter.headers, sender, own_server) if own_server else Authenticity.NONE
    return LetterContext(
        tx,
        settings,
        renderer,
        clock.now(),
        stored,
        letter,
        letter.answer_to or sender,
        command,
        COMMANDS,
        answer_limits(),
        network_of(stored.client, letter.headers.all("Received")),
        found,
        frozenset({addresses.mailbox_of(sender)} if found is Authenticity.PASS else ()),
    )


def _answer_again(context: LetterContext, earlier: StoredLetter) -> bool:
    """Send the answers to this letter again, at most once a day and within the limits. False: none went."""
    sent = answers.to_letter(context.tx, earlier.id)
    for answer in sent:
        if not answer.proved and not context.has_room(answer.template, answer.mailbox):
            return False
    if not outbox.repeat(context.tx, earlier.id, context.now, DAY):
        return False
    for answer in sent:
        answers.add(context.tx, replace(answer, at=context.now))
    return True


def _handled_copy(tx: Transaction, letter: Letter) -> StoredLetter | None:
    """The same letter, handled before (K51, M49); the same Message-ID over another text is a new one (M50).

    The copy may have come first: one that was set aside can be put back after its copy was handled. We read
    the few letters with this Message-ID again, because copies of one letter differ in their bytes: in the
    Received fields, and where a relay encoded one of them anew.
    """
    if letter.message_id is None:
        return None
    known = letters.handled_with_message_id(tx, letter.message_id, MAX_COMPARED_LETTERS)
    return next((other for other in known if _content(parse(other.raw)) == _content(letter)), None)


def _content(letter: Letter) -> tuple[object, ...]:
    return letter.sender, letter.reply_to, letter.subject, letter.body, letter.attachments, letter.files


# --- letters that no command answers: those of machines (M32, M37, M43-M47), and those to people -----------
def _why_ignored(stored: StoredLetter, letter: Letter, settings: Settings) -> str:
    """Why no answer may go out; "" = one may. We handle no letter that we cannot answer (X7)."""
    if letter.automatic:
        return letter.automatic
    if len(letter.headers.all("Received")) > mime_parts.MAX_HOPS:
        return f"it goes round in circles: more than {mime_parts.MAX_HOPS} Received fields"
    if not stored.sender and stored.channel in bounces.CHANNELS_WITH_ENVELOPE:
        return "a bounce (null envelope sender)"
    if letter.sender is None:
        return "; ".join(letter.problems) or "there is no usable address in From"
    ours = settings.contest.addresses
    if any(address and addresses.is_one_of(address, ours) for address in (letter.sender, letter.reply_to)):
        return "it comes from our own address"
    return ""


_PASSED_ON = "passed_on"


def _pass_on(
    tx: Transaction,
    stored: StoredLetter,
    letter: Letter,
    settings: Settings,
    renderer: Renderer,
    now: datetime,
) -> str:
    """Queue the letter for the organizer if it came only to a role's address; "" = it did not.

    Returns a note for the journal.
    """
    reached = [each for each in stored.recipients if addresses.is_role(each, settings.contest)]
    if not reached or any(addresses.is_for(each, settings.contest.addresses) for each in stored.recipients):
        return ""
    mail = renderer.render(
        _PASSED_ON, to=reached[0], sender=letter.answer_to or stored.sender, letter_subject=letter.subject
    )
    how = pass_letter_on(tx, stored, _PASSED_ON, mail, settings, now)
    return f"a letter to {reached[0]}, {how}"


# --- replies to our questions ----------------------------------------------------------------------------
# We ask before we do something for an address that may be a forged one (`LetterContext.ask`). The question
# has a token in its subject, and its Message-ID follows from the token, so a stranger can compute neither.
# Once it is answered, the letter in question is handled again, now as its reader's own.
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
    elif meant.command is UNKNOWN and letter.in_reply_to:
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
        return confirmed.answer(VOID, to, note=note, is_used=reply.is_used, days=MAX_CONFIRMATION_DAYS)
    letter = parse(stored.raw)
    command, arguments = recognise(letter.subject, context.settings)
    proof = proof_in(context.tx, letter)
    again = replace(confirmed, stored=stored, letter=letter, command=command, proof=proof)
    note = command.handle(again, arguments)
    return f"letter {letter_id} is confirmed: {note}"
