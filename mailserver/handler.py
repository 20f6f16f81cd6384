"""Handles letters: one savepoint changes the contest and queues the answer. A bad letter is set
aside.

What a letter says has been read before (`mailserver/reader.py`), outside of the transaction.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta

from contest.config.settings import Settings
from contest.errors import StoreBusy
from contest.language import noted, speaking, spoken
from contest.model import LetterQuestion, LetterState, StoredLetter
from contest.util.log import log
from mailserver import bounces
from mailserver.authentication import proof_in
from mailserver.command import VOID, Desk, LetterContext, LetterWaits
from mailserver.commands import COMMANDS, answer_limits, command_named, organizer
from mailserver.commands.help import UNKNOWN
from mailserver.commands.registration import COMMAND as REGISTRATION
from mailserver.commands.registration import refuse_without_place, welcome_back
from mailserver.decision import Answer, Decision
from mailserver.for_organizer import pass_letter_on, tell_of_limit
from mailserver.limits import DAY, MAX_CONFIRMATION_DAYS, MINUTE
from mailserver.proof import Proof
from mailserver.reader import Reading, TooHardToRead
from mailserver.reading import addresses
from mailserver.reading.authentication_results import Authenticity
from mailserver.reading.denial import says_no
from mailserver.reading.letter import Letter, Machine
from mailserver.sorting import (
    CameBack,
    Confirmation,
    Known,
    Meant,
    PassOn,
    Repeat,
    Reply,
    Silence,
    Sorted,
    sort_answerable,
    sort_unanswered,
)
from mailserver.team_secret import digest
from mailserver.write import has_room, write
from store import Transaction, answers, decisions, letters, outbox
from store.session import savepoint

ReadingKey = tuple[int, str]
"""A letter, by its id, and the language of the sentences about it."""


class Unread(Exception):
    """This letter must be read first: nothing of the letter in hand may be committed."""

    def __init__(self, key: ReadingKey) -> None:
        super().__init__(f"letter {key[0]} has not been read with sentences in {key[1]}")
        self.key = key


@dataclass(frozen=True)
class Readings:
    """What is known of the letters that are handled: the reading of each, or why it cannot be
    read."""

    known: Mapping[ReadingKey, Reading | TooHardToRead] = field(default_factory=dict)

    def of(self, letter_id: int) -> Reading:
        """Return the reading with sentences in the language that is spoken. Raises Unread or
        TooHardToRead."""
        key = letter_id, spoken()
        reading = self.known.get(key)
        if reading is None:
            raise Unread(key)
        if isinstance(reading, TooHardToRead):
            raise reading
        return reading


def handle(desk: Desk, stored: StoredLetter, readings: Readings) -> tuple[LetterState, str]:
    """Handle a letter that this transaction has seen; return what became of it, and a note for the
    log.

    One savepoint holds all changes, the answer and the letter's state. An unexpected exception
    rolls it back and sets the letter aside as FAILED with the traceback. So does a limit that is
    used up, where somebody needs the answer: then the letter waits. Raises Unread, if a letter must
    be read first: this one stays as it is. Raises StoreBusy: roll back, and try again.
    """
    tx, now = desk.tx, desk.now
    with speaking(desk.settings.contest.language):
        try:
            with savepoint(tx):
                state, note = _effect(desk, stored, readings)
                reading = readings.of(stored.id)
                letters.finish(
                    tx, stored.id, state, note, reading.letter.message_id, reading.content
                )
            return state, note
        except LetterWaits as waits:
            # Who answers is no stranger any more, which makes room before the time has come.
            letters.wait(tx, stored.id, waits.limit, min(waits.until, now + MINUTE), waits.network)
            if waits.is_wide:
                tell_of_limit(desk, waits.limit)
            return LetterState.WAITING, f"the limit of {waits.limit} is used up until {waits.until}"
        except (StoreBusy, Unread):
            raise
        except TooHardToRead as error:
            return set_aside(desk, stored, str(error))
        except Exception:
            return set_aside(desk, stored, traceback.format_exc())


_SET_ASIDE = "letter_set_aside"


def set_aside(desk: Desk, stored: StoredLetter, reason: str) -> tuple[LetterState, str]:
    """Set a letter aside that we cannot handle, and tell the organizer. `reason`: may be a
    traceback."""
    log.error("letter set aside", letter=stored.id, reason=reason)
    summary = reason.strip().rpartition("\n")[2]
    letters.finish(desk.tx, stored.id, LetterState.FAILED, reason, None)
    try:
        with savepoint(desk.tx), speaking(desk.settings.contest.language):
            mail = desk.renderer.render(_SET_ASIDE, letter=stored, reason=summary)
            pass_letter_on(desk, stored, _SET_ASIDE, mail)
    except StoreBusy:
        raise
    except Exception:
        # `knobeln status` shows the letter; a mail that fails must not hold the others
        log.error(
            "the organizer is not told of a letter that was set aside",
            letter=stored.id,
            exc_info=True,
        )
    return LetterState.FAILED, summary


def _effect(desk: Desk, stored: StoredLetter, readings: Readings) -> tuple[LetterState, str]:
    """Sort the letter, and do what follows. Raises Unread."""
    tx, now = desk.tx, desk.now
    reading = readings.of(stored.id)
    match _sorted(tx, stored, reading, desk.settings):
        case CameBack(mail, report):
            return LetterState.HANDLED, bounces.note(tx, stored, report, mail, now)
        case PassOn(to):
            return LetterState.HANDLED, _pass_on(desk, stored, reading.letter, to)
        case Silence(reason):
            letters.keep_for_count(tx, stored.id, now + DAY)
            return LetterState.IGNORED, reason
        case Repeat(earlier, proof, writer):
            context = _context(desk, stored, reading, proof, writer)
            again = "; answered again" if _answer_again(context, earlier) else ""
            letters.keep_for_count(tx, stored.id, now + DAY)
            return LetterState.IGNORED, f"{_DUPLICATE} of letter {earlier}{again}"
        case Confirmation(reply, proof, writer):
            context = _context(desk, stored, reading, proof, writer)
            return LetterState.HANDLED, _handle_reply(context, reply, readings)
        case Meant() as meant:
            context = _context(desk, stored, reading, meant.proof, meant.writer)
            return LetterState.HANDLED, _obey(context, meant, readings)


# --- what the database knows of a letter ----------------------------------------------------------
def _sorted(tx: Transaction, stored: StoredLetter, reading: Reading, settings: Settings) -> Sorted:
    """Ask for what decides about this letter, and sort it."""
    letter = reading.letter
    is_machines = letter.machine is Machine.ANSWERS
    known = Known(
        returned=bounces.returned_mail(tx, reading.bounce, settings),
        answers_ours=is_machines and bool(outbox.keys_of(tx, letter.in_reply_to)),
    )
    if unanswered := sort_unanswered(stored, reading, known, settings.contest):
        return unanswered
    known = replace(
        known,
        proof=_proof(tx, reading),
        earlier=_handled_copy(tx, reading),
        reply=_reply(tx, reading),
    )
    return sort_answerable(stored, reading, known, settings.contest)


def _proof(tx: Transaction, reading: Reading) -> Proof:
    """Return all that shows who wrote the letter."""
    sender = reading.letter.sender
    is_sender_proved = sender and reading.authenticity is Authenticity.PASS
    return replace(
        proof_in(tx, reading.from_lines),
        mailboxes=frozenset({addresses.mailbox_of(sender)} if is_sender_proved else ()),
        readers=_readers(tx, reading),
        authenticity=reading.authenticity,
    )


def _readers(tx: Transaction, reading: Reading) -> frozenset[str]:
    """Return the addresses, casefolded, to which the mails of ours went that this letter answers
    with a form.

    Other letters are not believed for that: a Message-ID may go on to others, with a mail or with
    an answer to it, and a form takes no team's place.
    """
    if reading.command != REGISTRATION.name or not reading.letter.in_reply_to:
        return frozenset()
    return frozenset(map(str.casefold, outbox.readers_of(tx, reading.letter.in_reply_to)))


def _handled_copy(tx: Transaction, reading: Reading) -> int | None:
    """Return the same letter, handled before (K51, M49); the same Message-ID over another text is a
    new one (M50).

    The copy may have come first: one that was set aside can be put back after its copy was handled.
    """
    message_id = reading.letter.message_id
    return None if message_id is None else letters.handled_copy(tx, message_id, reading.content)


# We ask before we do something for an address that may be a forged one (`Question`). The
# question has a token in its subject, and its Message-ID follows from the token, so a stranger can
# compute neither. Once it is answered, the letter in question is handled again, now as its reader's
# own.
_DIGEST = re.compile(r"letter/[0-9]+/[a-z_]+/([0-9a-f]{64})")


def _reply(tx: Transaction, reading: Reading) -> Reply | None:
    """Return the question that this letter replies to. A reply whose subject is another command, or
    that brings a program, is that command."""
    if reading.command == organizer.CONFIRM.name:
        digests: tuple[str, ...] = (digest(reading.arguments[0]),)
    elif _may_only_reply(reading) and reading.letter.in_reply_to:
        keys = outbox.keys_of(tx, reading.letter.in_reply_to)
        digests = tuple(found[1] for key in keys if (found := _DIGEST.fullmatch(key)))
    else:
        return None
    for each in digests:
        asked = decisions.confirmation(tx, each)
        if asked and isinstance(asked.order, LetterQuestion):
            return Reply(each, asked.order, asked.used_at is not None)
    return None


def _may_only_reply(reading: Reading) -> bool:
    """Return whether the letter may say no more than that it is its reader's own. A form in it may
    be the quoted one that our question is about."""
    is_form = reading.command == REGISTRATION.name and not reading.is_exact
    return is_form or reading.command == UNKNOWN.name


# --- what follows ---------------------------------------------------------------------------------
_PASSED_ON = "passed_on"


def _pass_on(desk: Desk, stored: StoredLetter, letter: Letter, to: str) -> str:
    """Queue the letter to this role for the organizer. Returns a note for the journal."""
    mail = desk.renderer.render(
        _PASSED_ON,
        to=to,
        sender=letter.answer_to or stored.sender,
        letter_subject=letter.subject,
    )
    how = pass_letter_on(desk, stored, _PASSED_ON, mail)
    return f"a letter to {to}, {how}"


def _context(
    desk: Desk, stored: StoredLetter, reading: Reading, proof: Proof, writer: str
) -> LetterContext:
    return LetterContext(
        tx=desk.tx,
        settings=desk.settings,
        renderer=desk.renderer,
        now=desk.now,
        stored=stored,
        letter=reading.letter,
        writer=writer,
        command=command_named(reading.command),
        commands=COMMANDS,
        limits=answer_limits(),
        from_line=reading.from_line,
        said=reading.said,
        network=reading.network,
        proof=proof,
    )


def _answer_again(context: LetterContext, earlier: int) -> bool:
    """Send the answers to this letter again, at most once a day and within the limits. False: none
    went."""
    sent = answers.to_letter(context.tx, earlier)
    for answer in sent:
        if not answer.proved and not has_room(context, answer.template, answer.mailbox):
            return False
    if not outbox.repeat(context.tx, earlier, context.now, DAY):
        return False
    for answer in sent:
        answers.add(context.tx, replace(answer, at=context.now))
    return True


_DUPLICATE = noted("duplicate")


def _obey(context: LetterContext, meant: Meant, readings: Readings) -> str:
    """Do what the command asks for, in the language of the team whose string the letter has."""
    team = meant.proof.team
    language = (team.language if team else "") or context.settings.contest.language
    with speaking(language):
        reading = readings.of(context.stored.id)
        context = replace(
            context, letter=reading.letter, from_line=reading.from_line, said=reading.said
        )
        if team and not team.is_proved:
            if refused := refuse_without_place(context, team):
                return write(context, refused)
            write(context, welcome_back(context, team, note=""))
        return write(context, context.command.handle(context, meant.arguments))


def _handle_reply(context: LetterContext, reply: Reply, readings: Readings) -> str:
    """Handle the letter in question again. Returns a note for the journal. Raises Unread."""
    to, letter_id = reply.question.to, reply.question.letter_id
    proof = replace(
        context.proof, team=None, mailboxes=frozenset({addresses.mailbox_of(to)}), is_confirmed=True
    )
    confirmed = replace(context, writer=to, proof=proof)
    age = timedelta(days=MAX_CONFIRMATION_DAYS)
    if says_no(context.letter.body.lines):
        note = f"letter {letter_id} is not confirmed: its reader says no"
        return write(confirmed, Decision(note, Answer(VOID, to, {"is_denied": True})))
    stored = letters.get(context.tx, letter_id)
    if stored is None or not decisions.take_confirmation(
        context.tx, reply.token_digest, context.now, age
    ):
        note = f"letter {letter_id} was confirmed {'before' if reply.is_used else 'too late'}"
        facts = {
            "is_denied": False,
            "is_used": reply.is_used,
            "days": MAX_CONFIRMATION_DAYS,
        }
        return write(confirmed, Decision(note, Answer(VOID, to, facts)))
    reading = readings.of(letter_id)
    by_string = proof_in(context.tx, reading.from_lines)
    again = replace(
        confirmed,
        stored=stored,
        letter=reading.letter,
        command=command_named(reading.command),
        from_line=reading.from_line,
        said=reading.said,
        proof=replace(proof, team=by_string.team, lines=by_string.lines),
    )
    note = write(again, again.command.handle(again, reading.arguments))
    return f"letter {letter_id} is confirmed: {note}"
