"""Handles letters: one savepoint changes the contest and queues the answer. A bad letter is set
aside.

What a letter says has been read before (`mailserver/reader.py`), outside of the transaction.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from contest.config.settings import Settings
from contest.errors import StoreBusy
from contest.interfaces.protocols import Renderer
from contest.language import noted, speaking, spoken
from contest.model import LetterQuestion, LetterState, StoredLetter, Team
from contest.util.clock import Clock
from contest.util.log import log
from mailserver import bounces
from mailserver.authentication import proof_in
from mailserver.command import VOID, Command, LetterContext, LetterWaits, Proof
from mailserver.commands import COMMANDS, answer_limits, command_named, organizer
from mailserver.commands.help import UNKNOWN
from mailserver.commands.registration import COMMAND as REGISTRATION
from mailserver.commands.registration import welcome_back
from mailserver.for_organizer import pass_letter_on, tell_of_limit
from mailserver.limits import DAY, MAX_CONFIRMATION_DAYS, MINUTE
from mailserver.reader import Reading, TooHardToRead
from mailserver.reading import addresses, mime_parts
from mailserver.reading.authentication_results import Authenticity
from mailserver.reading.denial import says_no
from mailserver.reading.letter import FROM_LIST, NO_ANSWER_WANTED, Letter, Machine
from mailserver.reading.registration_form import FormResult
from mailserver.team_secret import digest
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
        """The reading with sentences in the language that is spoken. Raises Unread or
        TooHardToRead."""
        key = letter_id, spoken()
        reading = self.known.get(key)
        if reading is None:
            raise Unread(key)
        if isinstance(reading, TooHardToRead):
            raise reading
        return reading


def handle(
    tx: Transaction,
    stored: StoredLetter,
    readings: Readings,
    settings: Settings,
    clock: Clock,
    renderer: Renderer,
) -> tuple[LetterState, str]:
    """Handle a letter that this transaction has seen; return what became of it, and a note for the
    log.

    One savepoint holds all changes, the answer and the letter's state. An unexpected exception
    rolls it back and sets the letter aside as FAILED with the traceback. So does a limit that is
    used up, where somebody needs the answer: then the letter waits. Raises Unread, if a letter must
    be read first: this one stays as it is. Raises StoreBusy: roll back, and try again.
    """
    with speaking(settings.contest.language):
        try:
            with savepoint(tx):
                reading = readings.of(stored.id)
                state, note = _effect(
                    tx=tx,
                    stored=stored,
                    reading=reading,
                    readings=readings,
                    settings=settings,
                    clock=clock,
                    renderer=renderer,
                )
                letters.finish(
                    tx, stored.id, state, note, reading.letter.message_id, reading.content
                )
            return state, note
        except LetterWaits as waits:
            now = clock.now()
            # Who answers is no stranger any more, which makes room before the time has come.
            letters.wait(tx, stored.id, waits.limit, min(waits.until, now + MINUTE), waits.network)
            if waits.is_wide:
                tell_of_limit(tx, waits.limit, settings, renderer, now)
            return LetterState.WAITING, f"the limit of {waits.limit} is used up until {waits.until}"
        except (StoreBusy, Unread):
            raise
        except TooHardToRead as error:
            return set_aside(tx, stored, str(error), settings, renderer, clock.now())
        except Exception:
            return set_aside(tx, stored, traceback.format_exc(), settings, renderer, clock.now())


_SET_ASIDE = "letter_set_aside"


def set_aside(
    tx: Transaction,
    stored: StoredLetter,
    reason: str,
    settings: Settings,
    renderer: Renderer,
    now: datetime,
) -> tuple[LetterState, str]:
    """Set a letter aside that we cannot handle, and tell the organizer. `reason`: may be a
    traceback."""
    log.error("letter set aside", letter=stored.id, reason=reason)
    summary = reason.strip().rpartition("\n")[2]
    letters.finish(tx, stored.id, LetterState.FAILED, reason, None)
    try:
        with savepoint(tx), speaking(settings.contest.language):
            mail = renderer.render(_SET_ASIDE, letter=stored, reason=summary)
            pass_letter_on(tx, stored, _SET_ASIDE, mail, settings, now)
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


def _effect(
    tx: Transaction,
    stored: StoredLetter,
    reading: Reading,
    readings: Readings,
    settings: Settings,
    clock: Clock,
    renderer: Renderer,
) -> tuple[LetterState, str]:
    letter, now = reading.letter, clock.now()
    came_back = bounces.note(tx, stored, reading.bounce, settings, now)
    passed_on = came_back or _pass_on(tx, stored, letter, settings, renderer, now)
    if passed_on:
        return LetterState.HANDLED, passed_on
    reason = _why_never_answered(tx, stored, letter, settings)
    proof = None if reason else proof_in(tx, reading.from_lines)
    writer = _writer(reading, proof)
    reason = reason or _why_ignored(stored, reading, proof, settings)
    reason = reason or _why_without_address(letter, writer, settings)
    if reason or writer is None:
        letters.keep_for_count(tx, stored.id, clock.now() + DAY)
        return LetterState.IGNORED, reason
    command = command_named(reading.command)
    context = _context(
        tx=tx,
        stored=stored,
        reading=reading,
        writer=writer,
        command=command,
        settings=settings,
        clock=clock,
        renderer=renderer,
    )
    earlier = _handled_copy(tx, reading)
    if earlier is not None:
        again = "; answered again" if _answer_again(context, earlier) else ""
        letters.keep_for_count(tx, stored.id, clock.now() + DAY)
        return LetterState.IGNORED, f"{_DUPLICATE} of letter {earlier}{again}"
    reply = find_reply(tx, reading)
    if reply:
        return LetterState.HANDLED, handle_reply(context, reply, readings)
    if proof is None:
        return LetterState.HANDLED, _answer_command(context, reading, readings, None)
    proved = context.proved | {addresses.mailbox_of(proof.team.address)}
    context = replace(context, proof=proof, proved=proved)
    return LetterState.HANDLED, _answer_command(context, reading, readings, proof.team)


def _why_without_address(letter: Letter, writer: str | None, settings: Settings) -> str:
    """Why nobody can be answered; "" = the writer can."""
    if writer is None or addresses.is_one_of(writer, settings.contest.addresses):
        return "; ".join(letter.problems) or noted("there is no usable address in From")
    return ""


def _answer_command(
    context: LetterContext, reading: Reading, readings: Readings, team: Team | None
) -> str:
    """Do what the command asks for. `team`: the one whose string the letter has."""
    language = (team.language if team else "") or context.settings.contest.language
    with speaking(language):
        context = _in_its_language(context, readings)
        refused = welcome_back(context, team) if team and not team.is_proved else ""
        return refused or context.command.handle(context, reading.arguments)


def _context(
    tx: Transaction,
    stored: StoredLetter,
    reading: Reading,
    writer: str,
    command: Command,
    settings: Settings,
    clock: Clock,
    renderer: Renderer,
) -> LetterContext:
    letter = reading.letter
    is_sender_proved = letter.sender and reading.authenticity is Authenticity.PASS
    return LetterContext(
        tx=tx,
        settings=settings,
        renderer=renderer,
        now=clock.now(),
        stored=stored,
        letter=letter,
        writer=writer,
        command=command,
        commands=COMMANDS,
        limits=answer_limits(),
        from_line=reading.from_line,
        said=reading.said,
        network=reading.network,
        authenticity=reading.authenticity,
        proved=frozenset({addresses.mailbox_of(letter.sender)} if is_sender_proved else ()),
        answered=_answered(tx, reading),
    )


def _answered(tx: Transaction, reading: Reading) -> frozenset[str]:
    """The addresses, casefolded, to which the mails of ours went that this letter answers with a
    form.

    Other letters are not believed for that: a Message-ID may go on to others, with a mail or with
    an answer to it, and a form takes no team's place.
    """
    if reading.command != REGISTRATION.name or not reading.letter.in_reply_to:
        return frozenset()
    return frozenset(map(str.casefold, outbox.readers_of(tx, reading.letter.in_reply_to)))


def _in_its_language(context: LetterContext, readings: Readings) -> LetterContext:
    """The context with the sentences about the letter in the language that is spoken. Raises
    Unread."""
    reading = readings.of(context.stored.id)
    return replace(context, letter=reading.letter, from_line=reading.from_line, said=reading.said)


def _answer_again(context: LetterContext, earlier: int) -> bool:
    """Send the answers to this letter again, at most once a day and within the limits. False: none
    went."""
    sent = answers.to_letter(context.tx, earlier)
    for answer in sent:
        if not answer.proved and not context.has_room(answer.template, answer.mailbox):
            return False
    if not outbox.repeat(context.tx, earlier, context.now, DAY):
        return False
    for answer in sent:
        answers.add(context.tx, replace(answer, at=context.now))
    return True


def _handled_copy(tx: Transaction, reading: Reading) -> int | None:
    """The same letter, handled before (K51, M49); the same Message-ID over another text is a new
    one (M50).

    The copy may have come first: one that was set aside can be put back after its copy was handled.
    """
    message_id = reading.letter.message_id
    return None if message_id is None else letters.handled_copy(tx, message_id, reading.content)


# --- letters that no command answers: those of machines (M32, M37, M43-M47), and those to people --
_IN_CIRCLES, _DUPLICATE = noted("it goes round in circles"), noted("duplicate")


def _why_never_answered(
    tx: Transaction, stored: StoredLetter, letter: Letter, settings: Settings
) -> str:
    """Why no answer may go out, whatever the letter says: it would feed a loop; "" = one may."""
    ours = settings.contest.addresses
    senders = (*letter.named, *filter(None, (letter.sender, letter.reply_to)))
    if any(addresses.is_one_of(address, ours) for address in senders):
        return noted("it comes from our own address")
    if len(letter.headers.all("Received")) > mime_parts.MAX_HOPS:
        return f"{_IN_CIRCLES}: over {mime_parts.MAX_HOPS} Received fields"
    return "" if stored.channel == letters.LET_IN else _why_nobodys(tx, stored, letter)


def _why_nobodys(tx: Transaction, stored: StoredLetter, letter: Letter) -> str:
    """Why this is a report, or a machine's answer to a mail of ours; "" = it may be neither."""
    if letter.machine is Machine.REPORTS:
        return letter.automatic
    if not stored.sender and stored.channel in bounces.CHANNELS_WITH_ENVELOPE:
        return noted("a bounce (null envelope sender)")
    if letter.machine is Machine.ANSWERS and outbox.keys_of(tx, letter.in_reply_to):
        return noted("an automatic answer to a mail of ours")
    return ""


def _why_ignored(
    stored: StoredLetter, reading: Reading, proof: Proof | None, settings: Settings
) -> str:
    """Why a machine has written this letter for nobody; "" = a person or a team's script has.

    A right string shows that, and so does a command in a letter to our own address. A confirmation
    does not: machines that answer letters keep its subject.
    """
    letter = reading.letter
    if not letter.automatic or proof or stored.channel == letters.LET_IN:
        return ""
    is_wish = letter.automatic == NO_ANSWER_WANTED
    is_command = reading.command != UNKNOWN.name
    is_meant = is_command and (is_wish or reading.command != organizer.CONFIRM.name)
    if letter.machine is Machine.SIGNS and is_meant and _is_to_us(stored, letter, settings):
        return ""
    return letter.automatic


def _is_to_us(stored: StoredLetter, letter: Letter, settings: Settings) -> bool:
    """Whether it was sent to our own address, and not to a list that has it."""
    fields = (text for _, text in letter.headers.fields("To", "Cc"))
    to = [address for text in fields for address in addresses.all_in(text)]
    if letter.automatic != FROM_LIST:
        to += stored.recipients
    return any(addresses.is_for(address, settings.contest.addresses) for address in to)


def _writer(reading: Reading, proof: Proof | None) -> str | None:
    """Where answers to the writer go; None = we cannot answer, so we do not handle the letter (X7).

    A letter whose headers name nobody may do so in its text.
    """
    form = reading.said.form if isinstance(reading.said, FormResult) else None
    in_form = addresses.check(form.address)[0] if form else None
    return reading.letter.answer_to or in_form or (proof.team.address if proof else None)


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
    if not reached or any(
        addresses.is_for(each, settings.contest.addresses) for each in stored.recipients
    ):
        return ""
    mail = renderer.render(
        _PASSED_ON,
        to=reached[0],
        sender=letter.answer_to or stored.sender,
        letter_subject=letter.subject,
    )
    how = pass_letter_on(tx, stored, _PASSED_ON, mail, settings, now)
    return f"a letter to {reached[0]}, {how}"


# --- replies to our questions ---------------------------------------------------------------------
# We ask before we do something for an address that may be a forged one (`LetterContext.ask`). The
# question has a token in its subject, and its Message-ID follows from the token, so a stranger can
# compute neither. Once it is answered, the letter in question is handled again, now as its reader's
# own.
_DIGEST = re.compile(r"letter/[0-9]+/[a-z_]+/([0-9a-f]{64})")


@dataclass(frozen=True)
class Reply:
    """A letter replies to the question with this token, which was about another letter."""

    token_digest: str
    question: LetterQuestion
    is_used: bool


def find_reply(tx: Transaction, reading: Reading) -> Reply | None:
    """The question that this letter replies to. A reply whose subject is another command, or that
    brings a program, is that command."""
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
    """Whether the letter may say no more than that it is its reader's own. A form in it may be the
    quoted one that our question is about."""
    is_form = reading.command == REGISTRATION.name and not reading.is_exact
    return is_form or reading.command == UNKNOWN.name


def handle_reply(context: LetterContext, reply: Reply, readings: Readings) -> str:
    """Handle the letter in question again. Returns a note for the journal. Raises Unread."""
    to, letter_id = reply.question.to, reply.question.letter_id
    confirmed = replace(
        context, writer=to, proved=frozenset({addresses.mailbox_of(to)}), is_confirmed=True
    )
    age = timedelta(days=MAX_CONFIRMATION_DAYS)
    if says_no(context.letter.body.lines):
        note = f"letter {letter_id} is not confirmed: its reader says no"
        return confirmed.answer(VOID, to, note=note, is_denied=True)
    stored = letters.get(context.tx, letter_id)
    if stored is None or not decisions.take_confirmation(
        context.tx, reply.token_digest, context.now, age
    ):
        note = f"letter {letter_id} was confirmed {'before' if reply.is_used else 'too late'}"
        return confirmed.answer(
            VOID,
            to,
            note=note,
            is_denied=False,
            is_used=reply.is_used,
            days=MAX_CONFIRMATION_DAYS,
        )
    reading = readings.of(letter_id)
    command = command_named(reading.command)
    again = replace(
        confirmed,
        stored=stored,
        letter=reading.letter,
        command=command,
        from_line=reading.from_line,
        said=reading.said,
        proof=proof_in(context.tx, reading.from_lines),
    )
    note = command.handle(again, reading.arguments)
    return f"letter {letter_id} is confirmed: {note}"
