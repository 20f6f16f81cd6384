"""Forged letters cause few and short mails, and real people get in all the same."""

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from typing import Any

import pytest

from contest.ledger.receipts import PROOF_FILE
from contest.model import Scope
from contest.schema.sections import Mail, Registration
from mailserver.intake.accept import accept_all
from mailserver.limits import (
    DAY,
    HOUR,
    MAX_UNPROVED_MAIL_BYTES,
    Doubt,
    Free,
    Limit,
    Quota,
    Room,
    doubt,
    quotas,
)
from mailserver.reading import addresses
from mailserver.reading.authentication_results import Authenticity
from mailserver.reading.letter import network_of, parse
from store.outbox import End, OutboxItem
from tests.support.due_mails import due_mails, end
from tests.support.forged_letters import form, incoming, reply, team_names
from tests.support.mail_world import (
    FORM,
    OPENS,
    REGISTER,
    World,
    body_of,
    flat,
    from_line,
    program,
    told,
)

VICTIM = "jane.doe@gmail.com"
MAX_MAILS, MAX_BYTES = 5, 20_000  # to one mailbox in a day
MINUTE = timedelta(minutes=1)


@pytest.fixture
def open_world(make_world: Callable[..., World]) -> World:
    """A contest with the usual settings, on the open internet."""
    return make_world(mail=Mail(), registration=Registration())


@pytest.fixture
def checked_world(make_world: Callable[..., World]) -> World:
    """One whose own mail server says who wrote a letter."""
    return make_world(mail=Mail(authserv_id="mx.contest.example"), registration=Registration())


PASSED = {
    "Authentication_Results": "mx.contest.example; dmarc=pass header.from=machine.domain.alfdkj"
}


def names(mail: EmailMessage) -> list[str | None]:
    return [part.get_filename() for part in mail.iter_attachments()]


# --- the attacker ---------------------------------------------------------------------------------
SUBJECTS = (
    REGISTER,
    "help",
    "Re: hello?",
    "please compile",
    "pleas compile",
    "please test",
    "status",
    "resend authentification",
    "withdraw",
    "mail-preference none",
    "send rules",
    "send announcement",
    "send faq",
    "SEND knobelnsoftware",
    "help lap",
    "confirm k7qd-2mxw-9rtz-h4pc-v8sn",
    "organizer status",
)


def tagged(number: int) -> str:
    return f"jane.doe+{number}@gmail.com"


def dotted(number: int) -> str:
    name = "".join(sign + "." * (number >> place & 1) for place, sign in enumerate("janedo")) + "e"
    return f"{name}@{'googlemail.com' if number % 2 else 'gmail.com'}"


def forged(trick: str, number: int, team: str) -> EmailMessage:
    """The attacker's letter of this number, which is to send something to the victim."""
    mail = EmailMessage()
    mail["Message-ID"] = f"<{number}@evil.example>"
    mail["To"] = "knobeln@contest.example"
    subject, address, text = SUBJECTS[number % len(SUBJECTS)], VICTIM, "x"
    if trick == "subjects":
        text = (f"<<FROM>> {team} k7qd-2mxw-9rtz-h4pc-v8sn\n", form(VICTIM, f"t{number}"), "")[
            number % 3
        ]
    elif trick == "plus-tags":
        subject, address = REGISTER, tagged(number)
        text = form(address, f"t{number}")
    elif trick == "dots":
        subject, address = REGISTER, dotted(number)
        text = form(address, f"t{number}")
    elif trick == "reply-to":
        address = f"eve{number}@evil.example"
        mail["Reply-To"] = VICTIM
        mail["Authentication-Results"] = "mx.contest.example; dmarc=pass header.from=evil.example"
    elif trick == "names":
        mail["From"] = f'"{number} {VICTIM}" <{dotted(number)}>'
        text = program(f"<<FROM>> {team} wrong-{number}\n")
    elif trick == "other senders":
        subject, address = REGISTER, f"eve@{number}.example"
        text = form(tagged(number), f"t{number}")
    elif trick == "delivery reports":
        mail["Content-Type"] = ("multipart/report", "text/plain")[number % 2]
        mail["Return-Path"] = f"<{VICTIM}>"
        mail["In-Reply-To"] = f"<{number:032x}@contest.example>"
    elif trick == "copies":
        del mail["Message-ID"]
        mail["Message-ID"] = f"<{number % 7}@evil.example>"
        mail["Received"] = f"from a ([8.8.{number % 250}.8]) by b; {number}"
        subject, text = SUBJECTS[number % 7], form(VICTIM, "copy")
    if "From" not in mail:
        mail["From"] = address
    mail["Subject"] = subject
    if "Content-Type" not in mail:
        mail.set_content(text)
    return mail


TRICKS = (
    "subjects",
    "plus-tags",
    "dots",
    "reply-to",
    "names",
    "other senders",
    "delivery reports",
    "copies",
)


def sent_now(world: World) -> tuple[OutboxItem, ...]:
    """All mails that are due; from now on they count as sent."""
    with world.store.read() as tx:
        due = due_mails(tx, world.clock.now(), 10_000)
    for item in due:
        with world.store.write() as tx:
            end(tx, item, End.SENT, world.clock.now(), "250")
    return due


def attack(
    world: World, letters: list[EmailMessage], span: timedelta, at_once: int
) -> list[OutboxItem]:
    """What the victim's mailbox gets while these letters come within this span, so many at once."""
    start, mailbox, got = world.clock.now(), addresses.mailbox_of(VICTIM), []
    for first in range(0, len(letters), at_once):
        world.clock.at = start + span * (first / len(letters))
        batch = [incoming(mail) for mail in letters[first : first + at_once]]
        accept_all(world.store, batch, "smtp", world.clock.now())
        while world.handle_next():
            pass
        got += [item for item in sent_now(world) if addresses.mailbox_of(item.to) == mailbox]
    return got


def register_victim(world: World) -> str:
    """The name of the victim's team, which has registered a day ago."""
    (question,) = world.send(REGISTER, form(VICTIM), sender="joe@elsewhere.example")
    name, _ = told(*reply(world, question))
    sent_now(world)
    world.clock.at += 25 * HOUR
    return name


@pytest.mark.slow
def test_two_thousand_forged_letters_bring_a_mailbox_five_mails_at_most(open_world: World) -> None:
    team = register_victim(open_world)
    chance = random.Random(13)  # noqa: S311 - a repeatable attack
    letters = [forged(chance.choice(TRICKS), number, team) for number in range(2_000)]
    got = attack(open_world, letters, DAY, 100)
    assert 0 < len(got) <= MAX_MAILS
    assert sum(len(item.raw) for item in got) <= MAX_BYTES


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_program_gets_its_string_though_nobody_has_heard_from_its_address(
    open_world: World, language: str
) -> None:
    long = FORM.replace("LAP,DGP,GRG,RSM", "JSON").replace("Eggland", "Eggland, " * 40 + "Eggland")
    (mail,) = open_world.send(
        REGISTER, f"language: {language}\n{long}", sender="our_team@machine.domain.alfdkj"
    )
    assert len(mail.as_bytes()) < MAX_UNPROVED_MAIL_BYTES
    (file,) = (part for part in mail.iter_attachments() if part.get_filename() == "knobeln.json")
    record = json.loads(file.get_content())
    team = record["quoted"]["teams"][record["team"]]
    assert record["string"] in body_of(mail)
    assert team in mail["Subject"]
    assert record["quoted"]["registration"] is None


# --- real people ----------------------------------------------------------------------------------
def test_who_makes_mistakes_all_day_is_told_when_to_come_back_and_can_still_register(
    open_world: World,
) -> None:
    start, sender = open_world.clock.now(), "joe@machine.domain.alfdkj"

    def write(hours: float, text: str) -> list[EmailMessage]:
        return open_world.send(REGISTER, text, sender=sender, at=start + hours * HOUR)

    mails = [mail for hour in range(6) for mail in write(hour, f"no form {hour}")]
    until = (
        "Another such letter gets no answer until 1994-03-28 12:01 UT; please send it again then."
    )
    assert [until in flat(mail) for mail in mails] == [False, False, False, True]
    (welcome,) = write(6, form(sender))
    assert "Your registration is accepted." in flat(welcome)
    assert until in flat(welcome)
    assert write(7, "no form") == []
    assert len(write(24.1, "no form")) == 1


# --- the question ---------------------------------------------------------------------------------
def test_a_form_from_another_address_gets_nothing_before_its_address_has_answered(
    open_world: World,
) -> None:
    world = open_world
    (question,) = world.send(REGISTER, form("our_team@school.example"))
    assert question["To"] == "our_team@school.example"
    asked = r"confirm: your registration of the_heavy_lords_of_knobeln \(([a-z0-9]{4}-?){5}\)"
    assert re.fullmatch(asked, question["Subject"])
    assert "Nothing is registered yet." in flat(question)
    assert "the form came from another mail-address" in flat(question)
    assert "answer this mail by 1994-03-30 12:00 UT" in flat(question)
    assert team_names(world) == []
    (welcome,) = reply(world, question)
    assert welcome["To"] == "our_team@school.example"
    assert names(welcome) == ["knobellib.c", "rules.txt", "contest.ics", PROOF_FILE]
    assert team_names(world) == ["the_heavy_lords_of_knobeln"]
    (again,) = reply(world, question)
    assert "You have answered my question before" in flat(again)


@pytest.mark.parametrize("subject", ["", "nothing but the Message-ID is left"])
def test_any_reply_confirms(open_world: World, subject: str) -> None:
    (question,) = open_world.send(REGISTER, form("our_team@school.example"))
    (welcome,) = reply(open_world, question, subject)
    assert "Your registration is accepted." in flat(welcome)


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {
            "In_Reply_To": f"<{'0' * 32}@contest.example>",
            "subject": "confirm k7qd-2mxw-9rtz-h4pc-v8sn",
        },
        {"In_Reply_To": "<2@machine.domain.alfdkj>", "subject": "yes"},
    ],
)
def test_neither_a_machine_nor_a_guess_confirms(open_world: World, headers: dict[str, str]) -> None:
    (question,) = open_world.send(REGISTER, form("our_team@school.example"))
    reply(open_world, question, **headers)
    assert team_names(open_world) == []


@pytest.mark.parametrize(("days", "is_taken"), [(2.9, True), (3.1, False)])
def test_the_question_can_be_answered_for_three_days(
    open_world: World, days: float, is_taken: bool
) -> None:
    (question,) = open_world.send(REGISTER, form("our_team@school.example"))
    open_world.clock.at += days * DAY
    (answer,) = reply(open_world, question)
    assert (team_names(open_world) != []) == is_taken
    assert is_taken or "later than 3 days" in flat(answer)


def test_the_time_of_the_form_counts_not_that_of_the_reply(open_world: World) -> None:
    closes = open_world.settings.dates.registration_closes
    (question,) = open_world.send(REGISTER, form("our_team@school.example"), at=closes - MINUTE)
    open_world.clock.at = closes + HOUR
    (welcome,) = reply(open_world, question)
    assert "Your registration is accepted." in flat(welcome)


@pytest.mark.parametrize(
    ("confirm", "headers", "words"),
    [
        ("always", PASSED, "I ask everybody"),
        ("when-doubtful", PASSED, None),
        ("when-doubtful", {}, "could not tell that the form really came from"),
    ],
)
def test_the_organizer_decides_who_is_asked(
    make_world: Callable[..., World], confirm: str, headers: dict[str, str], words: str | None
) -> None:
    sections = {
        "mail": Mail(authserv_id="mx.contest.example"),
        "registration": Registration(confirm=confirm),
    }
    (mail,) = make_world(**sections).send(
        REGISTER, FORM, sender="our_team@machine.domain.alfdkj", **headers
    )
    assert ("Nothing is registered yet." in flat(mail)) == (words is not None)
    assert words is None or words in flat(mail)
    assert words is not None or names(mail) == [
        "knobellib.c",
        "rules.txt",
        "contest.ics",
        PROOF_FILE,
    ]


def test_a_mailbox_with_a_team_that_was_never_heard_from_has_to_confirm_the_second(
    open_world: World,
) -> None:
    open_world.send(REGISTER, form("joe+1@school.example", "one"), sender="joe+1@school.example")
    two = form("joe+2@school.example", "two")
    (question,) = open_world.send(REGISTER, two, sender="joe+2@school.example", at=OPENS + 9 * DAY)
    assert "there is already a team with a mail-address of this mailbox" in flat(question)


# --- short first answers --------------------------------------------------------------------------
def test_the_first_answer_is_short_and_the_rest_comes_with_the_string(open_world: World) -> None:
    world, sender = open_world, "our_team@machine.domain.alfdkj"
    (welcome,) = world.send(REGISTER, FORM, sender=sender)
    assert len(welcome.as_bytes()) <= MAX_UNPROVED_MAIL_BYTES
    assert names(welcome) == [PROOF_FILE]
    assert "The rest comes then, with knobellib.c, rules.txt and contest.ics." in flat(welcome)
    name, string = told(welcome)
    rest, status = world.send("status", from_line(name, string), sender="joe@elsewhere.example")
    assert names(rest) == ["knobellib.c", "rules.txt", "contest.ics"]
    assert rest["To"] == status["To"] == sender
    assert len(world.send("status", from_line(name, string) + "\n", sender=sender)) == 1


def test_a_long_answer_comes_after_a_reply(open_world: World) -> None:
    (question,) = open_world.send("send rules", "")
    assert len(question.as_bytes()) <= MAX_UNPROVED_MAIL_BYTES
    assert "Its answer is long" in flat(question)
    (answer,) = reply(open_world, question)
    assert answer["To"] == "joe@machine.domain.alfdkj"
    assert names(answer) == ["rules.txt"]


def test_a_long_answer_comes_at_once_if_the_letter_shows_who_wrote_it(checked_world: World) -> None:
    (answer,) = checked_world.send("send rules", "", **PASSED)
    assert names(answer) == ["rules.txt"]
    (question,) = checked_world.send(REGISTER, FORM)
    name, string = told(*reply(checked_world, question))
    proof = from_line(name, string)
    (kit,) = checked_world.send(
        "SEND knobelnsoftware", proof, sender="our_team@machine.domain.alfdkj"
    )
    assert names(kit) == ["knobelnsoftware.tar.gz"]


def test_the_string_of_one_team_proves_nothing_for_another_mailbox(open_world: World) -> None:
    (question,) = open_world.send(REGISTER, FORM)
    name, string = told(*reply(open_world, question))
    (answer,) = open_world.send("send rules", from_line(name, string), sender=VICTIM)
    assert "Its answer is long" in flat(answer)


def test_a_team_keeps_its_string_if_the_new_one_could_not_be_sent(open_world: World) -> None:
    sender = "our_team@machine.domain.alfdkj"
    (question,) = open_world.send(REGISTER, FORM)
    name, string = told(*reply(open_world, question))
    for number in range(9):
        open_world.send("help lap", f"{number}", sender=sender)
    for number in range(9):
        open_world.send(REGISTER, form(f"our_team+{number}@machine.domain.alfdkj", f"t{number}"))
    assert open_world.send("resend authentification", "", sender=sender) == []
    assert (
        open_world.notes[-1]
        == "waits: the limit of mailbox our_team@machine.domain.alfdkj is used up"
    )
    assert len(open_world.send("status", from_line(name, string))) == 1


# --- rules ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("address", "mailbox"),
    [
        ("Joe@School.example", "joe@school.example"),
        ("joe+knobeln+2@school.example", "joe@school.example"),
        ("j.o.e@school.example", "j.o.e@school.example"),
        ("J.o.e+x@GMail.com", "joe@gmail.com"),
        ("joe@googlemail.com", "joe@gmail.com"),
        ("j.oe@pm.me", "joe@proton.me"),
        ("j-o_e+x@protonmail.ch", "joe@proton.me"),
        ("joe@mac.com", "joe@icloud.com"),
        ("joe@hotmail.com", "joe@hotmail.com"),
    ],
)
def test_all_addresses_of_a_mailbox_have_one_spelling(address: str, mailbox: str) -> None:
    assert addresses.mailbox_of(address) == mailbox == addresses.mailbox_of(mailbox)


@pytest.mark.parametrize(
    ("address", "family"),
    [
        ("joe@school.example", "joe@school.example"),
        ("joe-7@school.example", "joe@school.example"),
        ("joe_cool.7@pc.lab.school.example", "joe@school.example"),
        ("joe=7@cs.school.ac.uk", "joe@school.ac.uk"),
        ("-joe@school.example", "-joe@school.example"),
        ("joe-7@hotmail.co.uk", "joe@outlook.com"),
        ("joe@live.com", "joe@outlook.com"),
    ],
)
def test_mailboxes_that_may_be_one_have_one_family(address: str, family: str) -> None:
    assert addresses.family_of(addresses.mailbox_of(address)) == family


@pytest.mark.parametrize(
    ("client", "received", "network"),
    [
        ("93.184.216.34", ["from x ([8.8.8.8]) by y"], "93.184.216.0/24"),
        ("", ["from x (x [192.168.1.2]) by y", "from x ([93.184.216.34]) by y"], "93.184.216.0/24"),
        ("", ["from x ([IPv6:2606:2800:220:1::1]) by y"], "2606:2800:220::/48"),
        ("", ["from x ([::ffff:93.184.216.34]) by y"], "93.184.216.0/24"),
        ("", ["by y ([93.184.216.34]) with z", "from x ([999.1.1.1]) by y"], ""),
        ("192.168.1.2", ["from x ([8.8.8.8]) by y"], ""),
        # What the sender calls himself: Postfix, Exim (two forms), qmail, Exchange.
        ("", ["from [8.8.8.8] (pc [93.184.216.34]) by y"], "93.184.216.0/24"),
        ("", ["from pc ([93.184.216.34] helo=[8.8.8.8])\n by y"], "93.184.216.0/24"),
        ("", ["from [93.184.216.34] (port=25 helo=[8.8.8.8]) by y"], "93.184.216.0/24"),
        ("", ["from unknown (HELO [8.8.8.8]) (93.184.216.34)\n  by y"], "93.184.216.0/24"),
        ("", ["from a.by.example (2606:2800:220:1::1) by b (2001:db8::1)"], "2606:2800:220::/48"),
        ("", [], ""),
    ],
)
def test_the_network_is_that_of_the_topmost_public_address(
    client: str, received: list[str], network: str
) -> None:
    assert network_of(client, received) == network


GOOD = {
    "is_senders": True,
    "is_checked": False,
    "authenticity": Authenticity.NONE,
    "forms_in_an_hour": 3,
    "is_second": False,
    "is_crowded": False,
    "returns": False,
}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, None),
        ({"is_senders": False}, Doubt.OTHER_SENDER),
        ({"is_checked": True}, Doubt.NOT_AUTHENTIC),
        ({"is_checked": True, "authenticity": Authenticity.FAIL}, Doubt.NOT_AUTHENTIC),
        ({"is_checked": True, "authenticity": Authenticity.PASS}, None),
        ({"forms_in_an_hour": 4}, Doubt.MANY_FORMS),
        ({"is_second": True}, Doubt.SECOND_TEAM),
        ({"is_crowded": True}, Doubt.MANY_TEAMS),
        ({"returns": True}, Doubt.RETURNS),
    ],
)
def test_what_makes_a_form_doubtful(change: dict[str, Any], reason: Doubt | None) -> None:
    form = GOOD | change
    assert doubt("when-doubtful", **form) is reason
    assert doubt("never", **form) is None
    assert doubt("always", **form) is Doubt.ALWAYS


def test_which_quota_holds_a_mail_up() -> None:
    now = OPENS
    mailbox, others, *wide = quotas(Limit.DROP, False, 10, ("help",), "8.8.8.0/24")
    assert (mailbox.mails, others.mails, others.templates) == (5, 4, ("help",))
    wanted = [(Scope.FAMILY, 6), (Scope.DOMAIN, 40), (Scope.NETWORK, 40), (Scope.ALL, 333)]
    assert [(quota.scope, quota.mails) for quota in wide] == wanted

    def full(*hours: int) -> Free | None:
        free = {
            each: Free(each, now + hours * HOUR, now)
            for each, hours in zip(wide, hours, strict=True)
        }
        return Room(wide, free, now).full()

    assert full(0, 0, 0, 0) is None
    assert full(0, 2, 1, 0) == Free(wide[1], now + 2 * HOUR, now)


def test_one_forms_waits_where_others_have_used_up_a_limit_but_not_in_a_calm_domain() -> None:
    now = OPENS
    (mailbox, *wide) = quotas(Limit.WAIT, False, 10, (), "")
    assert mailbox.waits
    wanted = [(Scope.FAMILY, 10), (Scope.DOMAIN, 60), (Scope.ALL, 500), (Scope.ALL, 20_000)]
    assert [(quota.scope, quota.mails) for quota in wide] == wanted
    calm = wide[2].unless
    assert calm is not None
    free = {each: Free(each, now + HOUR * (each is wide[2]), now) for each in (*wide, calm)}
    assert Room(wide, free, now).full() is None
    free[calm] = Free(calm, now + HOUR, now)
    assert Room(wide, free, now).full() == free[wide[2]]


def test_who_repeats_a_mistake_is_not_answered_but_a_form_waits() -> None:
    now = OPENS
    mailbox, others, *wide = quotas(Limit.TELL, False, 10, ("refused",), "")
    unless = (each.unless for each in wide if each.unless)
    free = {each: Free(each, now + HOUR, now) for each in (mailbox, others, *wide, *unless)}
    assert not Room((mailbox, others, *wide), free, now).full().quota.waits
    assert Room(wide, free, now).full().quota.waits


def test_a_quota_is_free_a_span_after_the_mail_that_filled_it() -> None:
    now, quota = OPENS, Quota(Scope.MAILBOX, 5, DAY, waits=False, unproved=True)
    assert quota.free([], now) == (quota, now, now)
    assert quota.free([now - HOUR], now) == (quota, now, now + 23 * HOUR)
    assert quota.free([now - HOUR, now - 2 * HOUR], now) == (
        quota,
        now + 22 * HOUR,
        now + 23 * HOUR,
    )
    single = replace(quota, mails=1)
    assert single.free([], now) == (single, now, now + DAY)
    assert single.free([now - HOUR], now) == (single, now + 23 * HOUR, now + DAY)


@pytest.mark.parametrize(
    ("reply_to", "to"),
    [
        ("jane@a.example", "jane@a.example"),
        ("jane@mail.a.example", "jane@mail.a.example"),
        ("jane@b.example", "joe@a.example"),
        ("jane@ba.example", "joe@a.example"),
        ("jane@example", "joe@a.example"),
    ],
)
def test_answers_follow_reply_to_only_within_the_senders_domain(reply_to: str, to: str) -> None:
    assert parse(f"From: joe@a.example\nReply-To: {reply_to}\n\nx".encode()).answer_to == to
