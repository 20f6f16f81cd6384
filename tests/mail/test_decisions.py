"""What commands decide, as a table: (letter, proof, state of the contest) -> decision.

Nothing is written: the decisions are values, and the database is only read.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from contest.ledger.receipts import Effect
from contest.model import (
    LetterState,
    Member,
    Phase,
    Registration,
    StoredLetter,
    Team,
    TeamState,
)
from contest.schema import sections
from mailserver.authentication import proof_in
from mailserver.command import LetterContext
from mailserver.commands import COMMANDS, answer_limits, command_named
from mailserver.decision import (
    Answer,
    Change,
    Decision,
    Log,
    OfferString,
    Practise,
    Question,
    Register,
    SetAddress,
    SetReports,
    Submit,
    Withdraw,
)
from mailserver.proof import Proof
from mailserver.reader import read
from mailserver.reading.authentication_results import Authenticity
from mailserver.team_secret import digest
from reports.render import Templates
from store import Store, Transaction, contest_state, decisions, teams
from tests.support.letters import letter
from tests.support.mail_world import OPENS, form_of_one, make_settings

SETTINGS = make_settings(registration=sections.Registration(confirm="when-doubtful"))
TEMPLATES = Templates(SETTINGS, None)
OPEN, RUNNING, FINISHED = Phase.OPEN, Phase.RUNNING, Phase.FINISHED
NOW = OPENS + timedelta(days=5)

HOME, STRANGER, NEW = "gauss@b.example", "joe@a.example", "gauss@c.example"
UNHEARD = "euler@d.example"
ORGANIZER = SETTINGS.contest.organizer_address
STRING = "abcd-efgh-jkmn-pqrs-tuvw"
PROGRAM = f"/*\n<<FROM>> gauss {STRING}\n*/\nint main(void) {{ return 0; }}"
RIGHT, WRONG = f"<<FROM>> gauss {STRING}", "<<FROM>> gauss abcd-efgh-jkmn-pqrs-tuvx"
UNPROVED = Proof()
CONFIRMED = Proof(mailboxes=frozenset({NEW, HOME}), is_confirmed=True)
HEARD = Proof(mailboxes=frozenset({UNHEARD}), is_confirmed=True)
FORGED = Proof(authenticity=Authenticity.FAIL)


@pytest.fixture(scope="module")
def contests(
    empty_database: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[Phase, Store]]:
    """A contest in each phase, with the team gauss, and euler, of which nothing was heard."""
    folder = tmp_path_factory.mktemp("contests")
    stores = {phase: _contest(empty_database, folder / f"{phase}.db", phase) for phase in Phase}
    yield stores
    for store in stores.values():
        store.close()


def _contest(empty: Path, path: Path, phase: Phase) -> Store:
    path.write_bytes(empty.read_bytes())
    store = Store(f"sqlite:///{path}")
    with store.write() as tx:
        _add_team(tx, "gauss", HOME, STRING, is_proved=True)
        _add_team(tx, "euler", UNHEARD, STRING[::-1], is_proved=False)
        decisions.set_organizer_digest(tx, digest(STRING))
        if phase is not OPEN:
            contest_state.start(tx, {}, NOW)
        if phase is FINISHED:
            contest_state.finish(tx, NOW)
    return store


def _add_team(tx: Transaction, name: str, address: str, string: str, *, is_proved: bool) -> None:
    teams.add(
        tx,
        Registration(address, ("LAP",), name, "", (Member("Joe", None, "", ""),)),
        requested_name=name,
        state=TeamState.ACTIVE,
        auth_digest=digest(string),
        letter_id=None,
        now=OPENS,
        is_proved=is_proved,
    )


@dataclass(frozen=True)
class Sent:
    """A letter. `proof`: what shows who wrote it, but for the string in it."""

    subject: str
    text: str = "x"
    writer: str = STRANGER
    proof: Proof = UNPROVED
    days: float = 5  # after the contest opens

    def decided(self, store: Store) -> Decision:
        raw = letter(self.writer, self.subject, self.text)
        stored = StoredLetter(
            1,
            hashlib.sha256(raw).hexdigest(),
            OPENS + timedelta(days=self.days),
            self.writer,
            (),
            "smtp",
            LetterState.NEW,
            raw,
        )
        reading = read(stored, SETTINGS, "en")
        with store.read() as tx:
            by_string = proof_in(tx, reading.from_lines)
            context = LetterContext(
                tx=tx,
                settings=SETTINGS,
                renderer=TEMPLATES,
                now=NOW,
                stored=stored,
                letter=reading.letter,
                writer=self.writer,
                command=command_named(reading.command),
                commands=COMMANDS,
                limits=answer_limits(),
                from_line=reading.from_line,
                said=reading.said,
                network="",
                proof=Proof(
                    by_string.team,
                    by_string.lines,
                    self.proof.mailboxes,
                    authenticity=self.proof.authenticity,
                    is_confirmed=self.proof.is_confirmed,
                ),
            )
            decision = context.command.handle(context, reading.arguments)
            return _with_answer(decision)


def _with_answer(decision: Decision) -> Decision:
    """The decision with the mail that a new team gets, as if the database had numbered it."""
    forms = [change for change in decision.changes if isinstance(change, Register)]
    for form in forms:
        team = Team(
            1,  # of which the database knows
            form.registration,
            form.requested_name,
            form.state,
            OPENS,
            form.flags,
            is_proved=form.is_proved,
        )
        return replace(decision, answer=form.answer(team))
    return decision


class Told(NamedTuple):
    """A decision in short. `answer`: its template and its reason, if it has one; others get `more`
    templates."""

    answer: str
    to: str = HOME
    change: type[Change] | None = None
    entry: Effect | None = None
    more: tuple[str, ...] = ()
    withdrawn: str = ""  # the team that gives way


TABLE: dict[str, tuple[Sent, Phase, Told]] = {
    # a team's string
    "withdraw": (
        Sent("withdraw", RIGHT),
        OPEN,
        Told("withdrawn", HOME, Withdraw, Effect.WITHDRAWN),
    ),
    "withdraw too late": (Sent("withdraw", RIGHT), RUNNING, Told("command_refused: running")),
    "withdraw without a line": (
        Sent("withdraw"),
        OPEN,
        Told("command_refused: problem", STRANGER),
    ),
    "withdraw with a wrong string": (
        Sent("withdraw", WRONG),
        OPEN,
        Told("command_refused: wrong", STRANGER, more=("wrong_authentification_notice",)),
    ),
    "withdraw with a wrong string, from home": (
        Sent("withdraw", WRONG, HOME),
        OPEN,
        Told("command_refused: wrong"),
    ),
    # reports
    "other reports": (
        Sent("mail-preference LAP,DGP", RIGHT),
        OPEN,
        Told("preference_changed", HOME, SetReports, Effect.PREFERENCE_CHANGED),
    ),
    "other reports while it runs": (
        Sent("mail-preference none", RIGHT),
        RUNNING,
        Told("preference_changed", HOME, SetReports, Effect.PREFERENCE_CHANGED),
    ),
    "other reports afterwards": (
        Sent("mail-preference LAP", RIGHT),
        FINISHED,
        Told("command_refused: finished"),
    ),
    "reports that are none": (
        Sent("mail-preference XYZ", RIGHT),
        OPEN,
        Told("command_refused: problem"),
    ),
    "no reports, by the string": (
        Sent("unsubscribe", RIGHT),
        OPEN,
        Told("unsubscribed", HOME, SetReports, Effect.PREFERENCE_CHANGED),
    ),
    "no reports, from home": (Sent("unsubscribe", writer=HOME), OPEN, Told("unsubscribe_confirm")),
    "no reports, confirmed": (
        Sent("unsubscribe", writer=HOME, proof=CONFIRMED),
        OPEN,
        Told("unsubscribed", HOME, SetReports, Effect.PREFERENCE_CHANGED),
    ),
    "no reports, forged": (
        Sent("unsubscribe", writer=HOME, proof=FORGED),
        OPEN,
        Told("command_refused: forged"),
    ),
    "no reports, by a stranger": (
        Sent("unsubscribe"),
        OPEN,
        Told("command_refused: no reports", STRANGER),
    ),
    # the string
    "a new string": (
        Sent("resend authentification", writer=HOME),
        OPEN,
        Told("new_string", HOME, OfferString, Effect.STRING_OFFERED),
    ),
    "a new string for a stranger": (
        Sent("resend authentification"),
        OPEN,
        Told("command_refused: no team", STRANGER),
    ),
    "a new string, forged": (
        Sent("resend authentification", writer=HOME, proof=FORGED),
        OPEN,
        Told("command_refused: forged"),
    ),
    "a new string afterwards": (
        Sent("resend authentification", writer=HOME),
        FINISHED,
        Told("command_refused: finished"),
    ),
    # the address
    "another address": (
        Sent(f"change address {NEW}", RIGHT),
        OPEN,
        Told("address_asked", more=("address_confirm",)),
    ),
    "another address, confirmed": (
        Sent(f"change address {NEW}", RIGHT, proof=CONFIRMED),
        OPEN,
        Told("address_changed", NEW, SetAddress, Effect.ADDRESS_CHANGED, ("address_left",)),
    ),
    "another address that is none": (
        Sent("change address nowhere", RIGHT),
        OPEN,
        Told("command_refused: problem"),
    ),
    # programs that are not taken
    "no program": (
        Sent("please compile", "hello"),
        OPEN,
        Told("compile_refused: problem", STRANGER),
    ),
    "a program with a wrong string": (
        Sent("please compile", f"/*\n{WRONG}\n*/\nint main(void) {{ return 0; }}"),
        OPEN,
        Told("wrong_authentification", STRANGER, more=("wrong_authentification_notice",)),
    ),
    "a program too early": (
        Sent("please compile", PROGRAM, days=0.1),
        OPEN,
        Told("compile_refused: too early", HOME, entry=Effect.PROGRAM_REFUSED),
    ),
    "a program too late": (
        Sent("please compile", PROGRAM, days=60),
        OPEN,
        Told("compile_refused: too late", HOME, entry=Effect.PROGRAM_LATE),
    ),
    # programs that are taken
    "a program": (Sent("please compile", PROGRAM, days=30), OPEN, Told("", "", Submit)),
    "a program to be tried": (
        Sent("please test", PROGRAM, days=30),
        OPEN,
        Told("", "", Practise),
    ),
    "a program to be tried too early": (
        Sent("please test", PROGRAM, days=0.1),
        OPEN,
        Told("command_refused: practice too early"),
    ),
    # forms that are taken
    "a form": (
        Sent("registration", form_of_one("ramanujan", NEW), NEW),
        OPEN,
        Told("registration_accepted", NEW, Register, Effect.REGISTRATION_ACCEPTED),
    ),
    "a form for somebody else": (
        Sent("registration", form_of_one("ramanujan", NEW)),
        OPEN,
        Told("registration_confirm: other sender", NEW),
    ),
    "a form for somebody else, confirmed": (
        Sent("registration", form_of_one("ramanujan", NEW), proof=CONFIRMED),
        OPEN,
        Told("registration_accepted", NEW, Register, Effect.REGISTRATION_ACCEPTED),
    ),
    "another form of an address of which nothing was heard": (
        Sent("registration", form_of_one("ramanujan", UNHEARD), UNHEARD),
        OPEN,
        Told("registration_confirm: second team", UNHEARD),
    ),
    "another form of an address of which nothing was heard, confirmed": (
        Sent("registration", form_of_one("ramanujan", UNHEARD), UNHEARD, HEARD),
        OPEN,
        Told(
            "registration_accepted",
            UNHEARD,
            Register,
            Effect.REGISTRATION_ACCEPTED,
            withdrawn="euler",
        ),
    ),
    # forms that are not taken
    "a second form": (
        Sent("registration", form_of_one("ramanujan", HOME), HOME),
        OPEN,
        Told("registration_refused: duplicate", HOME),
    ),
    "an empty form": (
        Sent("registration for KNOBELN"),
        OPEN,
        Told("registration_refused: problems", STRANGER),
    ),
    "a form too late": (
        Sent("registration for KNOBELN"),
        RUNNING,
        Told("registration_refused: running", STRANGER),
    ),
    "a name without a class": (
        Sent("join Ada"),
        OPEN,
        Told("join_refused: no class", STRANGER),
    ),
    # what the organizer gets
    "an objection": (
        Sent("objection", RIGHT),
        OPEN,
        Told("objection", HOME, entry=Effect.OBJECTION, more=("objection_passed_on",)),
    ),
    "an objection of a stranger": (
        Sent("objection"),
        OPEN,
        Told("objection", STRANGER, more=("objection_passed_on",)),
    ),
    "an organizer's letter": (
        Sent("organizer pause", f"<<FROM>> organizer {STRING}"),
        RUNNING,
        Told("organizer_confirm", ORGANIZER, Log),
    ),
    "an organizer's letter with a wrong string": (
        Sent("organizer pause", WRONG),
        RUNNING,
        Told("help", STRANGER, Log),
    ),
    # what anybody may ask for
    "the rules": (Sent("send rules"), OPEN, Told("rules", STRANGER)),
    "the dates": (Sent("status"), OPEN, Told("status", STRANGER)),
    "the team's status": (Sent("status", writer=HOME), OPEN, Told("status", HOME)),
    "help": (Sent("help"), FINISHED, Told("help", STRANGER)),
    "help about a word": (Sent("help LAP"), OPEN, Told("help_word", STRANGER)),
    "nearly a command": (Sent("statsu"), OPEN, Told("did_you_mean", STRANGER)),
    "a list": (Sent("subscribe"), OPEN, Told("subscribe", STRANGER)),
    # what decided a game
    "why, too early": (Sent("why", RIGHT), RUNNING, Told("command_refused: problem", HOME)),
    "why, by nobody": (Sent("why"), FINISHED, Told("command_refused: problem", STRANGER)),
    "why, with a wrong string": (
        Sent("why", WRONG),
        FINISHED,
        Told("command_refused: wrong", STRANGER, more=("wrong_authentification_notice",)),
    ),
    "why, of a team without a game": (
        Sent("why nobody", writer=HOME),
        FINISHED,
        Told("command_refused: problem", HOME),
    ),
}


def short(decision: Decision) -> Told:
    answer = decision.answer
    *withdrawn, entry = decision.entries or (None,)
    return Told(
        _in_short(answer) if answer else "",
        answer.to if answer else "",
        type(decision.changes[0]) if decision.changes else None,
        entry.effect if entry else None,
        tuple(mail.template for mail in (*decision.before, *decision.after)),
        " ".join(each.team for each in withdrawn if each),
    )


def _in_short(answer: Answer | Question) -> str:
    reason = answer.reason if isinstance(answer, Question) else answer.facts.get("reason")
    return f"{answer.template}: {reason}" if reason else answer.template


@pytest.mark.parametrize("name", TABLE)
def test_what_a_command_decides(name: str, contests: dict[Phase, Store]) -> None:
    sent, phase, expected = TABLE[name]
    assert short(sent.decided(contests[phase])) == expected
