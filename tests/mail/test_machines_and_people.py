"""Headers of machines in letters of people, letters without a right From, and loops of machines."""

from collections.abc import Callable
from datetime import timedelta
from email import message_from_bytes
from email.policy import default as modern
from typing import Any

import pytest

from contest.model import LetterState
from contest.schema.sections import Mail, Registration
from mailserver.delivery.deliver import Delivery
from mailserver.for_organizer import tidy
from mailserver.reader import read
from mailserver.reading.authentication_results import Authenticity
from store import letters
from tests.support.due_mails import due_mails
from tests.support.letters import letter
from tests.support.mail_world import FORM, World, flat, from_line, program, registered

REGISTER, COMPILE = "registration for KNOBELN", "please compile"
HOUR = timedelta(hours=1)

SIGNS: list[dict[str, Any]] = [
    {"X_Auto_Response_Suppress": "All"},
    {"X_Auto_Response_Suppress": "DR, RN, NRN, OOF, AutoReply"},
    {"Precedence": "bulk"},
    {"Precedence": "junk"},
    {"Auto_Submitted": "auto-generated"},
    {"Auto_Submitted": "auto-generated (a script)"},
    {"List_Id": "<club.example>", "Precedence": "list"},
    {"List_Unsubscribe": "<mailto:leave@club.example>"},
]
ANSWERING: list[dict[str, Any]] = [
    {"Auto_Submitted": "auto-replied"},
    {"Auto_Submitted": "auto-replied; vacation"},
    {"X_Autoreply": "yes"},
    {"X_Autorespond": "away"},
]


@pytest.mark.parametrize("signs", SIGNS + ANSWERING)
def test_a_right_string_shows_that_no_machine_wrote_for_nobody(
    world: World, signs: dict[str, Any]
) -> None:
    line = from_line(*registered(world))
    world.send(COMPILE, program(line), **signs)
    assert "version 1" in world.notes[-1]


@pytest.mark.parametrize("signs", SIGNS)
def test_a_command_to_us_is_answered_whatever_has_marked_it(
    world: World, signs: dict[str, Any]
) -> None:
    assert len(world.send("help", "x", **signs)) == 1
    assert world.send("your invoice", "x", **signs) == []


@pytest.mark.parametrize("signs", ANSWERING)
def test_an_answering_machine_gets_no_answer(world: World, signs: dict[str, Any]) -> None:
    assert world.send("help", "x", **signs) == []


NO_SIGNS: list[dict[str, Any]] = [
    {"Auto_Submitted": "no (a person)"},
    {"Auto_Submitted": "(really) No"},
    {"X_Autoreply": "no"},
    {"X_Auto_Response_Suppress": "DR, OOF"},
    {"Precedence": "normal"},
]


@pytest.mark.parametrize("signs", NO_SIGNS)
def test_a_field_that_says_no_is_no_sign(world: World, signs: dict[str, Any]) -> None:
    assert len(world.send("what now?", "x", **signs)) == 1


def test_a_machine_that_answers_our_mail_is_ignored_even_if_it_quotes_the_string(
    world: World,
) -> None:
    (welcome,) = world.send(REGISTER, FORM)
    text = str(welcome.get_body(("plain",)))
    for signs in ANSWERING:
        answer = world.send(COMPILE, text, In_Reply_To=str(welcome["Message-ID"]), **signs)
        assert answer == []
        assert world.notes[-1] == "an automatic answer to a mail of ours"


@pytest.mark.parametrize(
    "signs", [each for each in SIGNS + ANSWERING if "X_Auto_Response_Suppress" not in each]
)
def test_no_machine_confirms(make_world: Callable[..., World], signs: dict[str, Any]) -> None:
    world = make_world(registration=Registration(confirm="always"))
    (question,) = world.send(REGISTER, FORM)
    subject = f"Re: {question['Subject']}"
    assert world.send(subject, "I am away", sender=str(question["To"]), **signs) == []
    assert world.states()[LetterState.IGNORED] == 1
    assert len(world.send(subject, "", sender=str(question["To"]))) == 1


# --- no right From --------------------------------------------------------------------------------
def test_a_letter_without_an_address_is_answered_to_the_team_whose_string_is_right(
    world: World,
) -> None:
    line = from_line(*registered(world))
    raw = letter("x@y.example", COMPILE, program(line)).replace(b"From: x@y.example", b"From: Joe")
    world.deliver(raw, envelope="x@y.example")
    assert "version 1" in world.notes[-1]


def test_a_form_without_an_address_above_it_is_confirmed_by_its_own(
    make_world: Callable[..., World],
) -> None:
    world = make_world(registration=Registration())
    raw = letter("x@y.example", REGISTER, FORM).replace(b"From: x@y.example", b"From: Joe")
    (question,) = world.deliver(raw, envelope="x@y.example")
    assert question["To"] == "our_team@machine.domain.alfdkj"
    assert "confirm" in str(question["Subject"])


@pytest.mark.parametrize("name", ["Sender", "Reply-To"])
def test_a_letter_that_names_us_as_its_writer_is_never_answered(world: World, name: str) -> None:
    raw = letter("joe@a.example", "help", "x")
    assert world.deliver(f"{name}: knobeln@contest.example\n".encode() + raw) == []
    assert world.notes[-1] == "it comes from our own address"


AUTHORS = [
    ("Joe <joe@a.example>", Authenticity.PASS),
    ("evil@b.example <joe@a.example>", Authenticity.NONE),
    ("Cool, Joe <joe@a.example>", Authenticity.NONE),
]


@pytest.mark.parametrize(("author", "found"), AUTHORS)
def test_what_a_mail_server_found_out_about_the_author_is_nothing_about_a_guess(
    make_world: Callable[..., World], author: str, found: Authenticity
) -> None:
    world = make_world(mail=Mail(authserv_id="mx.example"))
    world.deliver(f"Authentication-Results: mx.example; dmarc=pass\nFrom: {author}\n\nx\n".encode())
    with world.store.read() as tx:
        (stored,) = letters.get_all(tx, [1])
    assert read(stored, world.settings, "en").authenticity is found


# --- loops ----------------------------------------------------------------------------------------
class Responder:
    """An answering machine: it answers each mail of ours, with these headers, and quotes it."""

    batch = 1

    def __init__(self, world: World, subject: str, signs: dict[str, Any], *, refers: bool) -> None:
        self._world, self._subject, self._signs, self._refers = world, subject, signs, refers
        self.answered = 0

    def send(self, _sender: str, to: str, raw: bytes) -> str:
        self.answered += 1
        mail = message_from_bytes(raw, policy=modern)
        body = mail.get_body(("plain",))
        more: dict[str, Any] = {"In_Reply_To": str(mail["Message-ID"])} if self._refers else {}
        subject = self._subject or f"Re: {mail['Subject']}"
        quoted = f"I am away ({self.answered}).\n\n{body.get_content() if body else ''}"
        self._world.send(subject, quoted, sender=to, **self._signs, **more)
        return "250 taken"

    def another(self) -> None:
        pass

    def close(self) -> None:
        pass


LOOPS = [
    (subject, signs, refers)
    for subject in ("", "help", COMPILE, REGISTER, "resend authentification")
    for signs, refers in (
        *((signs, False) for signs in (SIGNS[0], SIGNS[2], SIGNS[4], SIGNS[6])),
        (ANSWERING[0], True),
        (ANSWERING[0], False),
    )
]


@pytest.mark.slow
@pytest.mark.parametrize(("subject", "signs", "refers"), LOOPS)
def test_a_machine_that_answers_all_our_answers_is_left_alone(
    make_world: Callable[..., World], subject: str, signs: dict[str, Any], refers: bool
) -> None:
    world = make_world(mail=Mail(), registration=Registration())
    machine = Responder(world, subject, signs, refers=refers)
    world.send(REGISTER, FORM, sender="our_team@machine.domain.alfdkj")
    start, answered = world.clock.now(), []
    for minute in range(0, 24 * 60, 10):
        world.clock.at = start + timedelta(minutes=minute)
        Delivery(world.store, world.settings, world.clock, machine).deliver_due()
        answered.append(machine.answered)
    assert answered[-1] <= 11  # the limit of an hour, and the welcome
    assert answered[-1] == answered[6]  # and nothing after the first hour: the loop is dead


# --- what the organizer is told -------------------------------------------------------------------
def test_the_organizer_is_told_once_a_day_what_was_ignored_by_kind(world: World) -> None:
    for number in range(3):
        world.send(f"away {number}", "x", Auto_Submitted="auto-replied")
    world.send("sale", "x", Precedence="bulk")
    start = world.clock.now()
    told = []
    for hours in (1, 25, 26, 60):
        world.clock.at = start + hours * HOUR
        tidy(world.store, world.settings, world.renderer, world.clock.at)
        with world.store.read() as tx:
            told.append(len(due_mails(tx, world.clock.at)))
    assert told == [0, 1, 1, 1]
    (mail,) = world.mails()
    assert mail["To"] == "organizer@contest.example"
    assert "4 letters were ignored" in str(mail["Subject"])
    assert "3 an automatic answer (Auto-Submitted)" in flat(mail)
    assert "1 a mass mail (Precedence)" in flat(mail)
    assert "knobeln letters let-in" in flat(mail)


def test_a_letter_that_is_let_in_is_answered(world: World) -> None:
    assert world.send("help", "x", Auto_Submitted="auto-replied", envelope="") == []
    with world.store.write() as tx:
        assert letters.let_in(tx, 1)
        assert letters.count_ignored(tx) == {}
    assert world.handle_next()
    assert world.states() == {LetterState.HANDLED: 1}
    assert len(world.mails()) == 1
    with world.store.write() as tx:
        assert not letters.let_in(tx, 1)
