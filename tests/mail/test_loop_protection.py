"""What we send has the marks that robots and people need, and never feeds a loop."""

import email
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from email.policy import default as modern

import pytest

from contest.interfaces.protocols import Rendered
from contest.mail.compose import compose, unsubscribe_token
from contest.model import LetterState, OutboxState, Outgoing
from contest.schema.sections import Mail
from mailserver.delivery.deliver import Delivery
from mailserver.limits import MAX_STRANGERS_BYTES
from store import outbox
from tests.support.due_mails import due_mails
from tests.support.mail_world import FORM, START, World, body_of, flat, make_settings

HOUR = timedelta(hours=1)
SECRET = bytes(32)
REGISTER = "registration for KNOBELN"


def composed(**facts: object) -> EmailMessage:
    usual = {
        "key": "k",
        "kind": "RSM",
        "to": "joe@a.example",
        "subject": "hello",
        "body": "a table\n",
    }
    raw = compose(Outgoing(**(usual | facts)), make_settings(), SECRET, START).raw
    return email.message_from_bytes(raw, policy=modern)


def test_an_answer_says_what_it_answers_and_that_a_robot_wrote_it() -> None:
    mail = composed(in_reply_to="<1@a.example>")
    assert mail["Auto-Submitted"] == "auto-replied"
    assert mail["In-Reply-To"] == mail["References"] == "<1@a.example>"
    assert mail["Reply-To"] == "knobeln@contest.example"
    assert mail["Message-ID"].endswith("@contest.example>")
    assert mail["List-Id"] is mail["Precedence"] is None


def test_a_report_to_many_is_a_lists_that_one_can_leave() -> None:
    mail = composed(is_report=True, kind="no program", team_id=1)
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["List-Id"] == "<no-program.knobeln.contest.example>"
    token = unsubscribe_token(str(mail["To"]), b"")
    assert (
        mail["List-Unsubscribe"]
        == f"<mailto:knobeln@contest.example?subject=unsubscribe%20{token}>"
    )
    assert mail["Precedence"] == "bulk"


@pytest.mark.parametrize("body", ["plain\n", "Grüße\n", "x" * 2_000 + "\n"])
def test_nobodys_mailer_may_flow_our_tables(body: str) -> None:
    mail = composed(body=body)
    assert mail.get_content_type() == "text/plain"
    assert mail["Content-Type"].params["format"] == "fixed"
    assert mail.get_content().replace("\r\n", "\n") == body


# --- loops ----------------------------------------------------------------------------------------
class Posts:
    """A way out that hands each mail to `receive`, as a mail system between two robots would."""

    batch = 1

    def __init__(self, receive: Callable[[bytes, str], object]) -> None:
        self._receive = receive
        self.posted = 0

    def send(self, sender: str, _to: str, raw: bytes) -> str:
        self.posted += 1
        self._receive(raw, sender)
        return "250 taken"

    def close(self) -> None:
        pass

    def another(self) -> None:
        pass


def test_a_machine_that_answers_everything_gets_ten_answers_an_hour(
    make_world: Callable[..., World],
) -> None:
    world = make_world(mail=Mail())
    machine = Posts(lambda _raw, _sender: world.send(REGISTER, "no form"))
    world.send(REGISTER, "no form")
    start = world.clock.now()
    for second in range(0, 3_000, 60):
        world.clock.at = start + timedelta(seconds=second)
        Delivery(world.store, world.settings, world.clock, machine).deliver_due()
    assert machine.posted == world.settings.mail.answers_per_hour == 10


def test_the_last_answer_of_an_hour_says_so_and_until_when(
    make_world: Callable[..., World],
) -> None:
    world = make_world(mail=Mail(answers_per_hour=3))
    start = world.clock.now()

    def answers(minute: int, subject: str = "help lap", body: str = "") -> list[str]:
        mails = world.send(subject, body, at=start + timedelta(minutes=minute, seconds=10))
        return [flat(mail) for mail in mails]

    words = "at most 3 answers of this kind"
    (first,), (second,), (third,) = answers(0), answers(10, REGISTER, "no form"), answers(20)
    assert (words in first, words in second, words in third) == (False, False, True)
    assert f"gets no answer until {start + timedelta(minutes=61):%Y-%m-%d %H:%M} UT;" in third
    assert answers(59) == []
    (welcome,) = answers(59, REGISTER, FORM)
    assert words not in welcome
    (fourth,) = answers(61)
    assert f"gets no answer until {start + timedelta(minutes=71):%Y-%m-%d %H:%M} UT;" in fourth
    assert answers(69) == []
    assert len(answers(71)) == 1


def test_a_letter_that_goes_round_in_circles_is_not_answered(world: World) -> None:
    letter = b"Received: from a by b\n" * 51 + b"From: joe@a.example\nSubject: help\n\nx\n"
    assert world.deliver(letter, channel="imap") == []
    assert "goes round in circles" in world.notes[-1]
    assert len(world.deliver(letter.partition(b"\n")[2], channel="imap")) == 1


# --- the same letter again (M49) ------------------------------------------------------------------
def test_a_letter_that_comes_again_gets_its_answer_again_once_a_day(world: World) -> None:
    sent: list[bytes] = []
    way = Posts(lambda raw, _sender: sent.append(raw))
    start = world.clock.now()

    def come(hours: float) -> int:
        world.send(
            REGISTER,
            FORM,
            message_id="<1@a.example>",
            Received=f"at {hours}",
            at=start + hours * HOUR,
        )
        return Delivery(world.store, world.settings, world.clock, way).deliver_due().sent

    assert [come(hours) for hours in (0, 1, 2, 24.9, 25.1, 26)] == [1, 1, 0, 0, 1, 0]
    assert len(set(sent)) == 1
    assert world.states() == {LetterState.HANDLED: 1, LetterState.IGNORED: 5}
    assert world.notes[1] == "duplicate of letter 1; answered again"


def test_a_letter_that_comes_again_before_its_answer_went_out_changes_nothing(world: World) -> None:
    for number in range(2):
        world.send(REGISTER, FORM, message_id="<1@a.example>", Received=f"way {number}")
    assert world.notes[-1] == "duplicate of letter 1"
    assert len(world.mails()) == 1


def test_a_notice_to_another_team_is_not_sent_again(world: World) -> None:
    way = Posts(lambda _raw, _sender: None)
    world.send(REGISTER, FORM)
    for number in range(2):
        program = "/*\n <<FROM>> the_heavy_lords_of_knobeln wrong\n*/\nmain(){}\n"
        letter = {
            "sender": "evil@a.example",
            "message_id": "<1@a.example>",
            "Received": f"way {number}",
        }
        world.send("please compile", program, at=START - 9 * HOUR + number * HOUR, **letter)
        Delivery(world.store, world.settings, world.clock, way).deliver_due()
    with world.store.read() as tx:
        rows = outbox.listing(tx, state=OutboxState.SENT, to=None, count=100)
    tries = {row.kind: row.attempts for row in rows}
    wrong = {"wrong_authentification": 2, "wrong_authentification_notice": 1}
    assert tries == {"registration_accepted": 1, **wrong}


# --- strangers ------------------------------------------------------------------------------------
@pytest.mark.slow
def test_nothing_large_goes_to_strangers(world: World) -> None:
    fields = [
        f"{name}: {'x' * 900}"
        for name in ("mail-address", "mail-preference", "team-name", "Organization")
    ]
    form = "\n".join([*fields, "team-members:", *(f"  {'y ' * 400}" for _ in range(300))]) + "\n"
    bodies = (
        form,
        "\n".join(f"line {n}: {'z' * 60}" for n in range(2_000)),
        FORM + "surplus\n" * 5_000,
    )
    for subject in (REGISTER, "please compile", "help", "SEND knobelnsoftware"):
        for body in bodies:
            world.send(subject, body)
    with world.store.read() as tx:
        sizes = [len(item.raw) for item in due_mails(tx, world.clock.now())]
    assert len(sizes) >= 8
    assert max(sizes) < 1.5 * MAX_STRANGERS_BYTES


def test_what_is_too_long_for_a_stranger_is_cut_and_says_so(world: World) -> None:
    class Wordy:
        def render(self, template: str, /, **_facts: object) -> Rendered:
            return Rendered(template, "äöü and so on\n" * 9_000)

    (mail,) = replace(world, renderer=Wordy()).send("help", "x")
    assert body_of(mail).endswith("so on\n\n[The rest is left out: this mail would be too long.]\n")
    assert len(body_of(mail).encode()) < MAX_STRANGERS_BYTES + 100
