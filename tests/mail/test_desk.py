"""Letters as gateways, mailers and people make them, at the SMTP port of a running server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contest.model import OutboxState
from contest.store import outbox
from tests.support.desk import COMPILE, Desk, flat, form_of
from tests.support.knobeln_server import ROBOT
from tests.support.mail_world import REGISTER

BOUNCES = Path(__file__).parent.parent / "bounces"
MAIN = "main () { for (;;) make_throw (1); }"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    desk = Desk(tmp_path_factory.mktemp("desk"))
    yield desk
    desk.stop()


# --- subjects ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("before", "then"), [("[EXT] ", "[EXTERNAL] Re: "), ("***SPAM*** ", "{list} AW: [KNOBELN] ")]
)
def test_what_gateways_write_into_subjects_keeps_no_team_out(desk: Desk, before: str, then: str) -> None:
    address = desk.stranger()
    (welcome,) = desk.send(before + REGISTER, form_of(address, address.partition("@")[0]), address)
    assert "<<FROM>>" in flat(welcome)
    auth_line = desk.server.auth_line(address)
    (report,) = desk.send(then + COMPILE, desk.program(auth_line, MAIN), address)
    assert "version 1" in report["Subject"]


def test_a_form_or_a_from_line_is_answered_whatever_the_subject_and_however_often(desk: Desk) -> None:
    address, auth_line = desk.team()
    own = form_of(address, "lords")
    for text, words in [
        (own, f"Subject: {REGISTER}"),
        (desk.program(auth_line, MAIN), f"Subject: {COMPILE}"),
        (f"{auth_line}\n", "I know these subjects"),
        (f"{auth_line}\nWhat do we do now?\n", "I know these subjects"),
    ] * 2:
        (answer,) = desk.send("hello", text, address)
        assert words in flat(answer)
    (ninth,) = desk.send("hello", own, address)
    (tenth,) = desk.send("hello", own, address)
    assert "this was the last one for now" not in flat(ninth)
    assert "this was the last one for now" in flat(tenth)
    assert desk.send("hello", own, address) == []


def test_words_without_a_form_are_answered_once_a_day(desk: Desk) -> None:
    address = desk.stranger()
    assert len(desk.send("hello", "who are you?", address)) == 1
    assert desk.send("hello", "who are you?", address) == []


# --- characters that nobody sees ---------------------------------------------------------------------------
HIDDEN = ["\u200b", "\ufeff", "\u2060", "\u00ad", "\u200e"]


@pytest.mark.parametrize("sign", HIDDEN, ids=ascii)
def test_invisible_characters_in_a_form_and_at_the_from_line_do_not_matter(desk: Desk, sign: str) -> None:
    address = desk.stranger()
    name = address.partition("@")[0]
    form = form_of(address, name).replace("team-name: ", f"{sign}team-{sign}name{sign}: {sign}")
    (welcome,) = desk.send(REGISTER, form.replace("Joe Cool, 45", f"{sign}Joe Cool,{sign} 45"), address)
    assert "invisible characters were taken out of line 3" in flat(welcome)
    secret = desk.server.auth_line(address).split()[-1]
    line = f"{sign}<<FROM>>{sign} {sign}{name} {sign}{secret}{sign}"
    (report,) = desk.send(COMPILE, desk.program(line, MAIN), address)
    assert "version 1" in report["Subject"]
    assert "invisible characters were taken out of the <<FROM>> line" in flat(report)
    (status,) = desk.send("withdraw", line, address)
    assert "was not carried out" not in status["Subject"]


# --- the registration form ---------------------------------------------------------------------------------
def test_none_means_no_reports_in_the_form_as_in_the_command(desk: Desk) -> None:
    address = desk.stranger()
    form = form_of(address, "silent_ones").replace("mail-preference: RSM", "mail-preference: None")
    (welcome,) = desk.send(REGISTER, form, address)
    assert "mail-preference: team-name: silent_ones" in flat(welcome)


def test_a_misspelled_field_gets_one_hint_and_comes_back_with_its_value(desk: Desk) -> None:
    address = desk.stranger()
    (answer,) = desk.send(REGISTER, form_of(address, "lords").replace("Organiz", "Organis"), address)
    text = flat(answer)
    assert text.count("Did you mean `Organization:`?") == 1
    assert "is missing" not in text
    assert "Organization: University of Northeast Sacrodata, Intellect City, Eggland team-members:" in text


# --- one <<FROM>> line, several times ----------------------------------------------------------------------
def test_the_same_from_line_in_the_text_and_in_the_attached_program_is_one(desk: Desk) -> None:
    address, auth_line = desk.team()
    other = auth_line[:-1] + ("2" if auth_line[-1] != "2" else "3")
    source = desk.program(auth_line, MAIN)
    cases = [
        (f"{auth_line}\n", source, "version 1 of"),
        (f"{auth_line}\nHere it is.\n/* {auth_line} */\n", source + "int a;\n", "version 2 of"),
        (f"{auth_line}\n", source.replace(auth_line, "") + "int b;\n", "version 3 of"),
        (f"{other}\n", source, "There are different <<FROM>> lines in lords.c and the text of the letter"),
        (source, source, "another one is the text of the letter"),
    ]
    for text, program, words in cases:
        (answer,) = desk.send(COMPILE, text, address, attached={"lords.c": program.encode()})
        assert words in f"{answer['Subject']} {flat(answer)}"


def test_the_same_from_line_twice_in_a_program_is_one(desk: Desk) -> None:
    address, auth_line = desk.team()
    (report,) = desk.send(COMPILE, f"/* {auth_line} */\n{desk.program(auth_line, MAIN)}", address)
    assert "version 1" in report["Subject"]


# --- machines ----------------------------------------------------------------------------------------------
def test_who_wants_no_automatic_answer_gets_none(desk: Desk) -> None:
    address = desk.stranger()
    assert desk.send("help", "", address, X_Auto_Response_Suppress="DR, AutoReply") == []
    assert len(desk.send("help", "", address, X_Auto_Response_Suppress="DR, OOF")) == 1


def test_a_delivery_report_to_the_plain_address_is_read_by_its_message_id(desk: Desk) -> None:
    address, _ = desk.team()
    (welcome,) = desk.server.answers(address)
    store = desk.server.folder.store
    for message_id, state in (
        (f"<{'0' * 32}@contest.example>", OutboxState.SENT),
        (str(welcome["Message-ID"]), OutboxState.BOUNCED),
    ):
        report = (BOUNCES / "postfix.eml").read_text().replace("@BOUNCE@", ROBOT)
        desk.post(report.replace("@MESSAGE_ID@", message_id).encode(), address, envelope="")
        with store.read() as tx:
            item_id = outbox.id_of(tx, str(welcome["Message-ID"]))
            assert item_id is not None
            item = outbox.get(tx, item_id)
        assert item is not None
        assert item.state is state
