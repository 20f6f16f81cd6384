"""Sorts letters: which command one means, or why no command answers it. Pure.

The database is asked before for what it knows of a letter (`Known`), and `mailserver/handler.py`
does afterwards what follows. `tests/mail/test_sorting.py` has the rules as a table of letters.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from contest.language import noted
from contest.model import LetterQuestion, StoredLetter, Team
from contest.schema.sections import Contest
from mailserver.bounces import CHANNELS_WITH_ENVELOPE, BounceReport
from mailserver.command import Arguments
from mailserver.commands import organizer
from mailserver.commands.help import UNKNOWN
from mailserver.proof import Proof
from mailserver.reader import Reading
from mailserver.reading import addresses, mime_parts
from mailserver.reading.letter import FROM_LIST, NO_ANSWER_WANTED, Letter, Machine
from mailserver.reading.registration_form import FormResult
from store import letters
from store.outbox import OutboxItem

_IN_CIRCLES = noted("it goes round in circles")


@dataclass(frozen=True)
class Reply:
    """A letter replies to the question with this token, which was about another letter."""

    token_digest: str
    question: LetterQuestion
    is_used: bool


@dataclass(frozen=True)
class Known:
    """What the database knows of a letter.

    `returned`: the mail of ours that it says came back; `answers_ours`: a machine answers a mail of
    ours; `earlier`: the same letter, handled before; `reply`: to which question of ours.
    """

    returned: OutboxItem | None = None
    answers_ours: bool = False
    proof: Proof = field(default_factory=Proof)
    earlier: int | None = None
    reply: Reply | None = None


# --- what becomes of a letter ---------------------------------------------------------------------
@dataclass(frozen=True)
class CameBack:
    """It tells that this mail of ours came back, or is late."""

    mail: OutboxItem
    report: BounceReport


@dataclass(frozen=True)
class PassOn:
    """It is the organizer's: it came to this address of a role, and not to ours."""

    to: str


@dataclass(frozen=True)
class Silence:
    """Nobody is answered."""

    reason: str


@dataclass(frozen=True)
class Repeat:
    """The same letter was handled before: its answers may go out once more."""

    earlier: int
    proof: Proof
    writer: str


@dataclass(frozen=True)
class Confirmation:
    """It replies to a question of ours: the letter that the question was about is handled."""

    reply: Reply
    proof: Proof
    writer: str


@dataclass(frozen=True)
class Meant:
    """It means this command. `writer`: the address to which answers go."""

    command: str
    arguments: Arguments
    proof: Proof
    writer: str


Sorted = CameBack | PassOn | Silence | Repeat | Confirmation | Meant


# --- the rules, most of them about letters of machines (M32, M37, M43-M47) ------------------------
def sort_unanswered(
    stored: StoredLetter, reading: Reading, known: Known, contest: Contest
) -> CameBack | PassOn | Silence | None:
    """Return what becomes of a letter that no command answers, whoever wrote it; None: one may.
    Nobody needs to look for its string before."""
    if known.returned and reading.bounce.report:
        return CameBack(known.returned, reading.bounce.report)
    reached = [address for address in stored.recipients if addresses.is_role(address, contest)]
    is_to_us = any(addresses.is_for(address, contest.addresses) for address in stored.recipients)
    if reached and not is_to_us:
        return PassOn(reached[0])
    reason = _why_never_answered(stored, reading.letter, known, contest)
    return Silence(reason) if reason else None


def sort_answerable(
    stored: StoredLetter, reading: Reading, known: Known, contest: Contest
) -> Silence | Repeat | Confirmation | Meant:
    """Return what becomes of a letter that may be answered; the first rule that applies decides."""
    proof = known.proof
    writer = _writer(reading, proof.team)
    reason = _why_ignored(stored, reading, proof.team, contest)
    if reason:
        return Silence(reason)
    if writer is None or addresses.is_one_of(writer, contest.addresses):
        return Silence(
            "; ".join(reading.letter.problems) or noted("there is no usable address in From")
        )
    if known.earlier is not None:
        return Repeat(known.earlier, proof, writer)
    if known.reply:
        return Confirmation(known.reply, proof, writer)
    return Meant(reading.command, reading.arguments, _with_mailbox(proof), writer)


def _with_mailbox(proof: Proof) -> Proof:
    """Return the proof with the mailbox of the team whose string the letter has."""
    if proof.team is None:
        return proof
    mailbox = addresses.mailbox_of(proof.team.address)
    return replace(proof, mailboxes=proof.mailboxes | {mailbox})


def _why_never_answered(
    stored: StoredLetter, letter: Letter, known: Known, contest: Contest
) -> str:
    """Return why no answer may go out, whatever the letter says: it would feed a loop; "" = one
    may."""
    senders = (*letter.named, *filter(None, (letter.sender, letter.reply_to)))
    if any(addresses.is_one_of(address, contest.addresses) for address in senders):
        return noted("it comes from our own address")
    if len(letter.headers.all("Received")) > mime_parts.MAX_HOPS:
        return f"{_IN_CIRCLES}: over {mime_parts.MAX_HOPS} Received fields"
    if stored.channel == letters.LET_IN:
        return ""
    if letter.machine is Machine.REPORTS:
        return letter.automatic
    if not stored.sender and stored.channel in CHANNELS_WITH_ENVELOPE:
        return noted("a bounce (null envelope sender)")
    return noted("an automatic answer to a mail of ours") if known.answers_ours else ""


def _why_ignored(
    stored: StoredLetter, reading: Reading, team: Team | None, contest: Contest
) -> str:
    """Return why a machine has written this letter for nobody; "" = a person or a team's script
    has.

    A right string shows that, and so does a command in a letter to our own address. A confirmation
    does not: machines that answer letters keep its subject.
    """
    letter = reading.letter
    if not letter.automatic or team or stored.channel == letters.LET_IN:
        return ""
    is_wish = letter.automatic == NO_ANSWER_WANTED
    is_command = reading.command != UNKNOWN.name
    is_meant = is_command and (is_wish or reading.command != organizer.CONFIRM.name)
    if letter.machine is Machine.SIGNS and is_meant and _is_to_us(stored, letter, contest):
        return ""
    return letter.automatic


def _is_to_us(stored: StoredLetter, letter: Letter, contest: Contest) -> bool:
    """Return whether it was sent to our own address, and not to a list that has it."""
    fields = (text for _, text in letter.headers.fields("To", "Cc"))
    to = [address for text in fields for address in addresses.all_in(text)]
    if letter.automatic != FROM_LIST:
        to += stored.recipients
    return any(addresses.is_for(address, contest.addresses) for address in to)


def _writer(reading: Reading, team: Team | None) -> str | None:
    """Return where answers to the writer go; None = we cannot answer, so we do not handle the
    letter (X7).

    A letter whose headers name nobody may do so in its text.
    """
    form = reading.said.form if isinstance(reading.said, FormResult) else None
    in_form = addresses.check(form.address)[0] if form else None
    return reading.letter.answer_to or in_form or (team.address if team else None)
