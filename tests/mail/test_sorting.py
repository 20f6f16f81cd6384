"""What becomes of a letter, as a table: what it is, what the database knows of it, the decision."""

import hashlib
from dataclasses import dataclass, replace

import pytest

from contest.model import (
    LetterQuestion,
    LetterState,
    Member,
    OutboxState,
    Registration,
    StoredLetter,
    Team,
    TeamState,
)
from mailserver.bounces import BounceReport
from mailserver.proof import Proof
from mailserver.reader import read
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
    sort_letter,
)
from store import letters
from store.outbox import OutboxItem
from tests.support.letters import ROBOT, letter
from tests.support.mail_world import FORM, OPENS, make_settings

JOE = "joe@a.example"
TEAM = Team(
    7,
    Registration("team@b.example", (), "gauss", "", (Member("Joe", None, "", ""),)),
    "gauss",
    TeamState.ACTIVE,
    OPENS,
)
OURS = OutboxItem(
    3, JOE, "<m@contest.example>", b"", 1, OPENS, OutboxState.SENT, OPENS, OPENS, "", None
)
REPLY = Reply("digest", LetterQuestion(5, JOE), is_used=False)
NOBODY, BY_STRING = Proof(), Proof(team=TEAM)
BY_STRING_AND_MAILBOX = replace(BY_STRING, mailboxes=frozenset({TEAM.address}))


@dataclass(frozen=True)
class Sent:
    """A letter as it comes in. `to`: the recipients of its envelope, `sender` its sender."""

    raw: bytes
    sender: str = JOE
    to: tuple[str, ...] = (ROBOT,)
    channel: str = "smtp"

    @property
    def stored(self) -> StoredLetter:
        digest = hashlib.sha256(self.raw).hexdigest()
        return StoredLetter(
            1, digest, OPENS, self.sender, self.to, self.channel, LetterState.NEW, self.raw
        )


def sent(subject: str, text: str = "x", writer: str = JOE, to: str = ROBOT, **headers: str) -> Sent:
    return Sent(letter(writer, subject, text, to, **headers))


HELP = sent("help")
WITHOUT_ADDRESS = Sent(b"From: nobody\r\nTo: knobeln@contest.example\r\nSubject: help\r\n\r\nx\r\n")
ROLE_ALONE = replace(HELP, to=("postmaster@contest.example",))
BOUNCE = Sent(
    letter(
        "mailer-daemon@b.example",
        "Undelivered Mail",
        "Message-ID: <0123456789abcdef0123456789abcdef@contest.example>",
    ),
    sender="",
)
RECEIVED = b"".join(b"Received: from a by b\r\n" for _ in range(200))
MARKED, LISTED = {"Precedence": "bulk"}, {"List_Id": "<club.example>", "Precedence": "list"}
REPLIED = {"Auto_Submitted": "auto-replied"}


def meant(command: str, writer: str = JOE, proof: Proof = NOBODY, *arguments: str) -> Meant:
    return Meant(command, arguments, proof, writer)


TABLE: dict[str, tuple[Sent, Known, Sorted]] = {
    # letters of people
    "a command": (HELP, Known(), meant("help")),
    "a command with arguments": (sent("help LAP"), Known(), meant("help", JOE, NOBODY, "LAP")),
    "no command": (sent("hello you"), Known(), meant("unknown", JOE, NOBODY, "hello", "you")),
    "a form": (sent("registration for KNOBELN", FORM), Known(), meant("registration")),
    "a team's string": (
        sent("status"),
        Known(proof=BY_STRING),
        meant("status", JOE, BY_STRING_AND_MAILBOX),
    ),
    "an address for answers": (
        sent("help", Reply_To="jane@a.example"),
        Known(),
        meant("help", "jane@a.example"),
    ),
    "no address": (WITHOUT_ADDRESS, Known(), Silence("there is no usable address in From")),
    "no address, but a team's string": (
        WITHOUT_ADDRESS,
        Known(proof=BY_STRING),
        meant("help", TEAM.address, BY_STRING_AND_MAILBOX),
    ),
    # letters that were handled before, and answers to our questions
    "the same letter again": (HELP, Known(earlier=4), Repeat(4, JOE)),
    "a team's letter again": (HELP, Known(proof=BY_STRING, earlier=4), Repeat(4, JOE)),
    "an answer to our question": (HELP, Known(reply=REPLY), Confirmation(REPLY, JOE)),
    "such an answer again": (HELP, Known(earlier=4, reply=REPLY), Repeat(4, JOE)),
    # letters that are not for us
    "to a role": (ROLE_ALONE, Known(), PassOn("postmaster@contest.example")),
    "to a role and to us": (
        replace(HELP, to=(*ROLE_ALONE.to, ROBOT)),
        Known(),
        meant("help"),
    ),
    "to a role, of a team": (ROLE_ALONE, Known(proof=BY_STRING), PassOn(ROLE_ALONE.to[0])),
    "a mail of ours came back": (
        BOUNCE,
        Known(returned=OURS),
        CameBack(OURS, BounceReport(False, "Undelivered Mail")),
    ),
    # letters that would feed a loop
    "from our own address": (
        sent("help", writer=ROBOT),
        Known(),
        Silence("it comes from our own address"),
    ),
    "from us, with a team's string": (
        sent("help", writer=ROBOT),
        Known(proof=BY_STRING),
        Silence("it comes from our own address"),
    ),
    "in circles": (
        replace(HELP, raw=RECEIVED + HELP.raw),
        Known(),
        Silence("it goes round in circles: over 50 Received fields"),
    ),
    "without a sender": (
        replace(HELP, sender=""),
        Known(proof=BY_STRING),
        Silence("a bounce (null envelope sender)"),
    ),
    "without a sender, from a mailbox": (
        replace(HELP, sender="", channel="imap"),
        Known(),
        meant("help"),
    ),
    # letters of machines
    "a command that is marked": (sent("help", **MARKED), Known(), meant("help")),
    "no command, and marked": (
        sent("hello", **MARKED),
        Known(),
        Silence("a mass mail (Precedence)"),
    ),
    "marked, with a team's string": (
        sent("hello", **MARKED),
        Known(proof=BY_STRING),
        meant("unknown", JOE, BY_STRING_AND_MAILBOX, "hello"),
    ),
    "a command to a list": (
        sent("help", to="club@c.example", **LISTED),
        Known(),
        Silence("from a list"),
    ),
    "an automatic answer": (
        sent("help", **REPLIED),
        Known(),
        Silence("an automatic answer (Auto-Submitted)"),
    ),
    "an automatic answer to us": (
        sent("help", **REPLIED),
        Known(answers_ours=True, proof=BY_STRING),
        Silence("an automatic answer to a mail of ours"),
    ),
    "an automatic answer, let in by the organizer": (
        replace(sent("help", **REPLIED), channel=letters.LET_IN),
        Known(answers_ours=True),
        meant("help"),
    ),
}


@pytest.mark.parametrize("name", TABLE)
def test_a_letter_is_sorted_by_what_it_is_and_what_is_known_of_it(name: str) -> None:
    given, known, expected = TABLE[name]
    settings = make_settings()
    reading = read(given.stored, settings, "en")
    assert sort_letter(given.stored, reading, known, settings) == expected
