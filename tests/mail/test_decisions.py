"""What commands decide, as a table: (letter, proof, state of the contest) -> decision.

Nothing is written: the decisions are values, and the database is only read.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
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
    OfferString,
    SetAddress,
    SetReports,
    Withdraw,
)
from mailserver.proof import Proof
from mailserver.reader import read
from mailserver.reading.authentication_results import Authenticity
from mailserver.team_secret import digest
from reports.render import Templates
from store import Store, contest_state, teams
from tests.support.letters import letter
from tests.support.mail_world import OPENS, make_settings

SETTINGS = make_settings(registration=sections.Registration(confirm="when-doubtful"))
TEMPLATES = Templates(SETTINGS, None)
OPEN, RUNNING, FINISHED = Phase.OPEN, Phase.RUNNING, Phase.FINISHED
NOW = OPENS + timedelta(days=5)

HOME, STRANGER, NEW = "gauss@b.example", "joe@a.example", "gauss@c.example"
STRING = "abcd-efgh-jkmn-pqrs-tuvw"
RIGHT, WRONG = f"<<FROM>> gauss {STRING}", "<<FROM>> gauss abcd-efgh-jkmn-pqrs-tuvx"
UNPROVED = Proof()
CONFIRMED = Proof(mailboxes=frozenset({NEW, HOME}), is_confirmed=True)
FORGED = Proof(authenticity=Authenticity.FAIL)


@pytest.fixture(scope="module")
def contests(
    empty_database: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[Phase, Store]]:
    """A contest with the team gauss in each phase."""
    folder = tmp_path_factory.mktemp("contests")
    stores = {phase: _contest(empty_database, folder / f"{phase}.db", phase) for phase in Phase}
    yield stores
    for store in stores.values():
        store.close()


def _contest(empty: Path, path: Path, phase: Phase) -> Store:
    path.write_bytes(empty.read_bytes())
    store = Store(f"sqlite:///{path}")
    wanted = Registration(HOME, ("LAP",), "gauss", "", (Member("Joe", None, "", ""),))
    with store.write() as tx:
        teams.add(
            tx,
            wanted,
            requested_name="gauss",
            state=TeamState.ACTIVE,
            auth_digest=digest(STRING),
            letter_id=None,
            now=OPENS,
        )
        if phase is not OPEN:
            contest_state.start(tx, {}, NOW)
        if phase is FINISHED:
            contest_state.finish(tx, NOW)
    return store


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
            return context.command.handle(context, reading.arguments)


class Told(NamedTuple):
    """A decision in short. `answer`: its template and its reason, if it has one; others get `more`
    templates."""

    answer: str
    to: str = HOME
    change: type[Change] | None = None
    entry: Effect | None = None
    more: tuple[str, ...] = ()


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
        Sent("please compile", f"/*\n{RIGHT}\n*/\nint main(void) {{ return 0; }}", days=0.1),
        OPEN,
        Told("compile_refused: too early", HOME, entry=Effect.PROGRAM_REFUSED),
    ),
    "a program too late": (
        Sent("please compile", f"/*\n{RIGHT}\n*/\nint main(void) {{ return 0; }}", days=60),
        OPEN,
        Told("compile_refused: too late", HOME, entry=Effect.PROGRAM_LATE),
    ),
    # forms that are not taken
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
    assert decision.answer is not None
    answer = decision.answer
    reason = answer.facts.get("reason") if isinstance(answer, Answer) else None
    return Told(
        f"{answer.template}: {reason}" if reason else answer.template,
        answer.to,
        type(decision.change) if decision.change else None,
        decision.entry.effect if decision.entry else None,
        tuple(mail.template for mail in (*decision.before, *decision.after)),
    )


@pytest.mark.parametrize("name", TABLE)
def test_what_a_command_decides(name: str, contests: dict[Phase, Store]) -> None:
    sent, phase, expected = TABLE[name]
    assert short(sent.decided(contests[phase])) == expected
