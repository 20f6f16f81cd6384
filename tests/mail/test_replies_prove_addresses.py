"""A form that answers a mail of ours needs no question, and the limits of its domain do not hold it
up. It proves one address: that to which the mail went."""

from collections.abc import Callable
from email.message import EmailMessage
from typing import Any

import pytest

from contest.model import LetterState, Outgoing
from contest.schema.sections import Mail, Registration, Teams
from mailserver.limits import MINUTE
from store import outbox, teams
from tests.support.forged_letters import form, reply, team_names
from tests.support.mail_world import REGISTER, World, flat, from_line, told

ROOM = "93.184.216.34"  # the lecture room's network


@pytest.fixture
def world(make_world: Callable[..., World]) -> World:
    """A contest with the usual settings, on the open internet."""
    return make_world(mail=Mail(), registration=Registration(), teams=Teams(max_teams=200))


def invite(world: World, address: str) -> EmailMessage:
    """Send the address an invitation, as `class invite` does."""
    outgoing = Outgoing(f"invitation/{address}", "invitation", address, REGISTER, "...")
    before = len(world.mails())
    with world.store.write() as tx:
        outbox.put(tx, outgoing, world.settings, world.clock.now())
    (mail,) = world.mails(before)
    return mail


def answer(
    world: World, mail: EmailMessage, text: str, sender: str, **how: Any
) -> list[EmailMessage]:
    """What comes for a form that replies to this mail."""
    facts: dict[str, Any] = {
        "In_Reply_To": str(mail["Message-ID"]),
        "Received": f"from a (b [{ROOM}]) by mx",
    }
    return world.send(f"Re: {mail['Subject']}", text, sender=sender, **facts | how)


def is_proved(world: World, name: str) -> bool:
    with world.store.read() as tx:
        team = teams.by_name(tx, name)
    assert team is not None
    return team.is_proved


# --- a lecture room -------------------------------------------------------------------------------
def check_room(world: World, count: int, *, with_reply: bool) -> None:
    """So many invited students of one domain and one network send their forms in ten minutes."""
    students = [f"student-{number}@uni.example" for number in range(count)]
    mails = {address: invite(world, address) for address in students}
    begin = world.clock.now()
    for number, address in enumerate(students):
        at = begin + 10 * MINUTE * number / count
        text = form(address, f"team_{number}")
        headers = {} if with_reply else {"In_Reply_To": "<1@client.example>"}
        (welcome,) = answer(world, mails[address], text, address, at=at, **headers)
        assert told(welcome)[0] == f"team_{number}"
    assert len(team_names(world)) == count
    assert world.states() == {LetterState.HANDLED: count}
    assert is_proved(world, "team_0") == with_reply


@pytest.mark.parametrize("with_reply", [True, False])
def test_the_students_of_a_small_room_are_registered_at_once(
    world: World, with_reply: bool
) -> None:
    check_room(world, 5, with_reply=with_reply)


@pytest.mark.slow
@pytest.mark.parametrize("with_reply", [True, False])
def test_the_students_of_a_large_room_are_registered_at_once(
    world: World, with_reply: bool
) -> None:
    check_room(world, 70, with_reply=with_reply)


# --- what is proved -------------------------------------------------------------------------------
JANE, JIM = "jane@uni.example", "jim@uni.example"


def test_a_reply_from_another_mailbox_registers_the_address_that_was_invited(world: World) -> None:
    (welcome,) = answer(world, invite(world, JANE), form(JANE, "a"), "jane@private.example")
    assert (welcome["To"], told(welcome)[0], is_proved(world, "a")) == (JANE, "a", True)


def test_a_reply_to_a_refusal_proves_its_reader_too(world: World) -> None:
    (refusal,) = world.send(REGISTER, form(JANE, "a b"), sender=JANE)
    (welcome,) = answer(world, refusal, form(JANE, "a"), JANE)
    assert (told(welcome)[0], is_proved(world, "a")) == ("a", True)


@pytest.mark.parametrize("address", [JIM, "jane+2@uni.example", "jane@sub.uni.example"])
def test_a_message_id_proves_no_other_address(world: World, address: str) -> None:
    mail = invite(world, JANE)
    (question,) = answer(world, mail, form(address, "a"), JIM if address != JIM else JANE)
    assert "the form came from another mail-address" in flat(question)
    assert (question["To"], team_names(world)) == (address, [])


def test_a_forwarded_invitation_registers_nobody_who_was_not_asked(world: World) -> None:
    mail = invite(world, JANE)
    answer(world, mail, form(JIM, "a"), JIM)  # as any form of a stranger
    assert (team_names(world), is_proved(world, "a")) == (["a"], False)


# --- answers to a question that are no consent ----------------------------------------------------
DENIALS = (
    "No.",
    "No, I did not write this!",
    "Hello,\n\nthat was not me.",
    "Nein, das war nicht ich.",
    "Ich habe mich nicht angemeldet.",
    "I never registered for this\n\n> Is it yours?",
    "Ce n'est pas moi",
)
CONSENTS = (
    "",
    "yes",
    "No problem, it is ours.",
    "OK\n\n> If not, it was not me.",
    "Thanks! Notes follow.",
)
AWAY = (
    "Out of Office: {0}",
    "Automatic reply: {0}",
    "Automatische Antwort: {0}",
    "Abwesenheitsnotiz: {0}",
    "Réponse automatique : {0}",
    "Auto-Reply: {0}",
)


def question(world: World) -> EmailMessage:
    """What Jane is asked, in whose name somebody else has sent a form."""
    (mail,) = world.send(REGISTER, form(JANE, "a"), sender=JIM)
    return mail


@pytest.mark.parametrize("words", DENIALS)
def test_who_denies_it_confirms_nothing(world: World, words: str) -> None:
    (answered,) = answer(world, question(world), words, JANE)
    assert "I did nothing" in flat(answered)
    assert team_names(world) == []


@pytest.mark.parametrize("words", CONSENTS)
def test_who_does_not_deny_it_confirms(world: World, words: str) -> None:
    answer(world, question(world), words, JANE)
    assert team_names(world) == ["a"]


@pytest.mark.parametrize("subject", AWAY)
def test_who_is_away_confirms_nothing(world: World, subject: str) -> None:
    mail = question(world)
    away, message_id = subject.format(mail["Subject"]), str(mail["Message-ID"])
    assert world.send(away, "I am away.", sender=JANE, In_Reply_To=message_id) == []
    assert team_names(world) == []


@pytest.mark.parametrize("subject", ["{0}", "confirm {0}"])
def test_the_token_alone_confirms(world: World, subject: str) -> None:
    token = str(question(world)["Subject"]).rpartition("(")[2].rstrip(")")
    world.send(subject.format(token.replace("-", " - ", 1)), "", sender=JANE)
    assert team_names(world) == ["a"]


def test_a_message_id_that_we_did_not_make_proves_nothing(world: World) -> None:
    made_up = "<00112233445566778899aabbccddeeff@contest.example>"
    world.send(REGISTER, form(JANE, "a"), sender=JANE, In_Reply_To=made_up)
    assert not is_proved(world, "a")


def test_a_reply_takes_the_place_of_a_form_that_somebody_forged(world: World) -> None:
    mail = invite(world, JANE)
    world.send(REGISTER, form(JANE, "evil"), sender=JANE)
    (welcome,) = answer(world, mail, form(JANE, "good"), JANE)
    assert (told(welcome)[0], team_names(world)) == ("good", ["good"])


def test_the_same_reply_once_more_changes_nothing(world: World) -> None:
    mail = invite(world, JANE)
    answer(world, mail, form(JANE, "a"), JANE)
    (refusal,) = answer(world, mail, form(JANE, "other"), JANE)
    assert "There is already a team with this mail-address" in flat(refusal)
    assert team_names(world) == ["a"]


def test_an_old_message_id_brings_no_team_back_that_has_withdrawn(world: World) -> None:
    mail = invite(world, JANE)
    (welcome,) = answer(world, mail, form(JANE, "a"), JANE)
    world.send("withdraw", from_line(*told(welcome)), sender=JANE)
    (question,) = answer(world, mail, form(JANE, "other"), JANE)
    assert "a team with this mail-address has withdrawn" in flat(question)
    (back,) = reply(world, question, sender=JANE)
    assert told(back)[0] == "other"


def test_a_message_id_believes_no_other_command(world: World) -> None:
    mail = invite(world, JANE)
    for number in range(10):
        world.send("help", f"{number}", sender=JANE, In_Reply_To=str(mail["Message-ID"]))
    sent = [each for each in world.mails() if each["To"] == JANE]
    assert len(sent) <= 1 + 5


def test_forms_in_the_name_of_an_invited_address_bring_it_few_mails(world: World) -> None:
    invite(world, JANE)
    for number in range(12):
        world.send(REGISTER, form(JANE, f"t{number}"), sender=JANE)
    assert len(world.mails()) <= 1 + 5
    assert len(team_names(world)) == 1
    assert not is_proved(world, "t0")


def test_who_was_not_invited_is_asked_after_three_forms_of_a_domain(world: World) -> None:
    for number in range(4):
        address = f"s{number}@uni.example"
        (mail,) = world.send(REGISTER, form(address, f"t{number}"), sender=address)
    assert "several forms came from your domain" in flat(mail)
