"""Subjects that are no command exactly, where the letter leaves no doubt: it is done."""

from collections.abc import Callable
from email.message import EmailMessage

import pytest

from contest.model import LetterState, TeamState
from contest.schema.sections import Mail, Registration
from mailserver.commands import recognise, understand
from mailserver.limits import DAY
from mailserver.reading.letter import parse
from store import submissions, teams
from tests.support.letters import letter
from tests.support.mail_world import (
    FORM,
    REGISTER,
    World,
    flat,
    from_line,
    make_settings,
    program,
    registered,
    told,
)

SENDER = "jane@uni.example"
OWN = "our_team@machine.domain.alfdkj"  # of the team in FORM
SIGNED = from_line("lords", "k7qd-2mxw-9rtz-h4pc-8nvb")
PROGRAM = program(SIGNED)
UNSIGNED = "int main (void)\n{\n  for (;;) make_throw (1);\n}\n"

WITH_A_PROGRAM = (
    "",
    "compile",
    "Compile!!",
    "please-compile",
    "Please Compile v2",
    "please compile my program",
    "please  compile (second try)",
    "plase compile",
    "pls compile",
    "Re: Announcement: registration",
    "Re: KNOBELN contest: you are registered",
    "submission",
    "Submission of our team",
    "my program",
    "Abgabe",
    "kompilieren bitte",
    "Bitte kompilieren",
    "Bitte mein Programm kompilieren",
    "Programm",
    "new version",
    "version 3",
    "strategy.c",
    "heavy_lords",
    "KNOBELN",
    "Fwd: program",
    "AW: AW: Programm v2",
    "registration",
    "compile error?",
    "compile my code please",
    "hi",
    "?",
    "registration for KNOBELN",
    "Re: registration for KNOBELN",
)
WITH_A_FORM = (
    "",
    "registration",
    "Registrierung",
    "Anmeldung",
    "register",
    "our team",
    "please compile",
    "compile",
    "Re: Announcement: registration for the contest",
    "AW: Einladung",
    "hi",
)
SIGNED_ALONE = (
    ("please withdraw", "withdraw"),
    ("withdraw our team", "withdraw"),
    ("Withdrawal", "withdraw"),
    ("unser Team zurückziehen", "withdraw"),
    ("unsubscribe me please", "unsubscribe"),
    ("Bitte abmelden", "unsubscribe"),
    ("Mails abbestellen", "unsubscribe"),
    ("no more mails please", "unsubscribe"),
    ("please send status", "status"),
    ("our status", "status"),
    ("statsu", "status"),
    ("Status bitte", "status"),
    ("resend string", "resend"),
    ("new string please", "resend"),
    ("resend-authentification", "resend"),
    ("Resend authentication string please", "resend"),
    ("mail-preferences LAP,GRR", "mail-preference"),
    ("please mail-preference LAP", "mail-preference"),
    ("preferences: LAP", "mail-preference"),
    ("Einspruch", "objection"),
    ("new address joe@new.example", "address"),
    ("test please", "test"),
    ("objektion", "objection"),
    ("please test v2", "test"),
    ("rules please", "rules"),
    ("Hilfe", "help"),
    ("compile", "compile"),
    ("submission", "compile"),
    ("unsubscibe", "unsubscribe"),
)
IN_DOUBT = (
    ("withdraw us", PROGRAM),
    ("withdrawl", PROGRAM),
    ("withdrawal of our objection", SIGNED),
    ("do not withdraw", SIGNED),
    ("withdrow", SIGNED),
    ("stop it", "hello"),
    ("status of my application", "hello"),
    ("test", "hello"),
    ("what is compile", "hello"),
    ("hello", "hello"),
    ("registration", "hello"),
    ("my program", "When does it start?"),
    ("organizers", SIGNED),
    ("strategy", "A question"),
    ("confirm my registration", SIGNED),
)


def meant(subject: str, text: str) -> str:
    """The name of the command that a letter of this subject and text is."""
    settings = make_settings()
    parsed = parse(letter(SENDER, subject, text))
    exact = recognise(parsed.subject, settings)
    is_signed = "<<FROM>>" in text
    return understand(exact, parsed, settings, is_signed=is_signed).command.name


@pytest.mark.parametrize("subject", WITH_A_PROGRAM)
def test_a_program_is_compiled_whatever_the_subject_is(subject: str) -> None:
    assert meant(subject, PROGRAM) == "compile"


@pytest.mark.parametrize("subject", WITH_A_FORM)
def test_a_form_is_a_registration_whatever_the_subject_is(subject: str) -> None:
    assert meant(subject, FORM) == "registration"


@pytest.mark.parametrize("subject", ["my program", "submission", "", "please compile it"])
def test_a_program_without_its_line_is_told_what_it_lacks(subject: str) -> None:
    assert meant(subject, UNSIGNED) == "compile"


@pytest.mark.parametrize(("subject", "name"), SIGNED_ALONE)
def test_the_words_of_people_are_understood_in_a_signed_letter(subject: str, name: str) -> None:
    assert meant(subject, SIGNED) == name


@pytest.mark.parametrize(("subject", "text"), IN_DOUBT)
def test_where_there_is_a_doubt_nothing_is_done(subject: str, text: str) -> None:
    assert meant(subject, text) == "unknown"


@pytest.mark.parametrize("subject", ["test", "please test v2", "testing my bot", "Test program"])
def test_a_program_to_be_tried_is_not_entered(subject: str) -> None:
    assert meant(subject, PROGRAM) == "test"


OUTLOOK = """Thank you!

-----Original Message-----
From: The robot <knobeln@contest.example>
Subject: you are registered

To send your program, write

"""


def test_the_sample_in_an_answered_mail_of_ours_is_no_program() -> None:
    settings = make_settings()
    raw = letter(
        SENDER, "RE: you are registered", OUTLOOK + PROGRAM, In_Reply_To="<1@contest.example>"
    )
    parsed = parse(raw)
    exact = recognise(parsed.subject, settings)
    assert understand(exact, parsed, settings, is_signed=True).command.name == "unknown"


# --- what becomes of them -------------------------------------------------------------------------
def test_a_program_under_any_subject_is_queued(world: World) -> None:
    line = from_line(*registered(world))
    assert world.send("my program, second try", program(line)) == []
    with world.store.read() as tx:
        assert submissions.any_waiting(tx)


def test_a_withdrawal_in_own_words_is_done(world: World) -> None:
    line = from_line(*registered(world))
    (mail,) = world.send("please withdraw our team", line)
    assert "withdrawn" in flat(mail)
    with world.store.read() as tx:
        (team,) = teams.all_teams(tx)
    assert team.state is TeamState.WITHDRAWN


def test_who_names_the_team_rightly_is_not_told_to_register(world: World) -> None:
    line = from_line(*registered(world))
    attached = {"program.py": b"print(1)\n"}
    (mail,) = world.send("please compile", line, sender="elsewhere@b.example", attached=attached)
    assert "No attached file" in flat(mail)
    assert "not registered yet" not in flat(mail)


def test_advice_to_register_comes_below_the_reason(world: World) -> None:
    (mail,) = world.send("please compile", "<<FROM>> nobody k7qd-2mxw\n", sender="new@b.example")
    text = flat(mail)
    assert 0 < text.index("did not compile") < text.index("If your team is not registered yet")


# --- the subjects of questions --------------------------------------------------------------------
TOKEN = "k7qd-2mxw-9rtz-h4pc-8nvb"
CONFIRMING = (
    f"confirm {TOKEN}",
    f"Re: confirm: your registration of heavy_lords ({TOKEN})",
    f"AW: [EXT] confirm: your registration of\r\n heavy_lords\r\n ({TOKEN})",
    f"RE: confirm: no more reports to this address ( {TOKEN} )",
    f"Antwort: bestätigen: eure Anmeldung von heavy_lords ({TOKEN.upper()})",
    f"Re: Bitte bestätigen: {TOKEN} [was: spam]",
    f"please confirm {TOKEN}.",
    TOKEN,
    f"Fwd: Re: confirm: the answer to your letter `help` ({TOKEN})",
)


@pytest.mark.parametrize("subject", CONFIRMING)
def test_a_question_is_answered_by_its_subject_as_mailers_change_it(subject: str) -> None:
    found = recognise(subject, make_settings())
    assert (found.command.name, found.arguments) == ("confirm", (TOKEN,))


@pytest.mark.parametrize(
    "subject", [f"please compile {TOKEN}", f"confirm x{TOKEN}", f"x{TOKEN}", "confirm"]
)
def test_no_other_subject_confirms(subject: str) -> None:
    assert recognise(subject, make_settings()).command.name != "confirm"


# --- beyond the limits ----------------------------------------------------------------------------
def subjects(mails: list[EmailMessage]) -> list[str]:
    return [str(mail["Subject"]).partition(" (")[0] for mail in mails]


def test_a_mailbox_that_has_had_its_answers_is_still_unsubscribed(
    make_world: Callable[..., World],
) -> None:
    world = make_world(mail=Mail(), registration=Registration())
    (welcome,) = world.send(REGISTER, FORM, sender=OWN)
    line = from_line(*told(welcome))
    world.clock.at += DAY
    for number in range(9):
        world.send(f"help {number}", "x", sender=OWN)
    (question,) = world.send("unsubscribe", "", sender=OWN)
    assert subjects([question]) == ["confirm: no more reports to this address"]
    assert world.send("unsubscribe", "", sender=OWN) == []  # asked once
    world.send(f"Re: {question['Subject']}", "", sender=OWN)
    with world.store.read() as tx:
        (team,) = teams.all_teams(tx)
    assert team.registration.preferences == ()
    done = world.send("withdraw", line, sender=OWN)[-1]
    assert "withdrawn" in flat(done)
    assert LetterState.FAILED not in world.states()


def test_beyond_all_limits_unsubscribe_waits_and_is_not_lost(
    make_world: Callable[..., World],
) -> None:
    world = make_world(mail=Mail(), registration=Registration())
    world.send(REGISTER, FORM, sender=OWN)
    for number in range(9):
        world.send(f"help {number}", "x", sender=OWN)
    assert world.send("unsubscribe", "", sender=OWN) == []
    assert world.states()[LetterState.WAITING] == 1
    world.clock.at += DAY
    assert world.handle_next()
    assert subjects(world.mails())[-1] == "confirm: no more reports to this address"
