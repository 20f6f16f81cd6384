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
