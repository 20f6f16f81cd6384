"""The outbox on its way: into Maildirs, and to a real SMTP sink that takes, defers, refuses or dies."""

from __future__ import annotations

import mailbox
import socket
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from knobeln.clock import FixedClock
from knobeln.config import DeliveryKind, Mail, Settings
from knobeln.model import OutboxState, Outgoing
from knobeln.store import Store, outbox
from mailserver.delivery import (
    Delivered,
    MaildirTransport,
    SmtpTransport,
    back_off,
    deliver_due,
    folder_name,
    transport_of,
)

from .conftest import START, make_settings

ROBOT = "knobeln@contest.example"


class Sink:
    """An SMTP server. The recipient's name says what it does."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, str, bytes]] = []
        self.blocks_us = False

    async def handle_MAIL(  # noqa: N802
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        envelope.mail_from = address
        return "550 not from you" if address.startswith("banned") else "250 ok"

    async def handle_RCPT(  # noqa: N802
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        envelope.rcpt_tos.append(address)
        codes = {"full": "452 mailbox full", "gone": "550 no such user"}
        name = address.partition("@")[0].rstrip("0123456789")
        return "554 your host is blocked" if self.blocks_us else codes.get(name, "250 ok")

    async def handle_DATA(self, server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        name = str(envelope.rcpt_tos[0]).partition("@")[0]
        if name == "die":
            server.transport.abort()
        codes = {"later": "451 try later", "spam": "554 looks like spam"}
        if name not in codes:
            self.taken.append((str(envelope.mail_from), str(envelope.rcpt_tos[0]), envelope.content or b""))
        return codes.get(name, "250 taken as 4711")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def sink() -> Iterator[tuple[Sink, int]]:
    handler = Sink()
    controller = Controller(handler, hostname="127.0.0.1", port=free_port())
    controller.start()
    yield handler, controller.port
    controller.stop()


def settings_for(port: int, **mail: object) -> Settings:
    section = Mail(delivery=DeliveryKind.SMTP, smarthost="127.0.0.1", smarthost_port=port, **mail)  # type: ignore[arg-type]
    return make_settings(mail=section)


def queue(store: Store, settings: Settings, *names: str, at: datetime = START) -> None:
    with store.write() as tx:
        for name in names:
            mail = Outgoing(f"key/{name}", "GRR", f"{name}@a.example", "ranking", f"Hello {name}\n.\nbye\n")
            outbox.put(tx, mail, settings, at)


def listing(store: Store) -> dict[str, tuple[OutboxState, int, str]]:
    with store.read() as tx:
        rows = outbox.listing(tx, state=None, to=None, count=100)
    return {
        row["to"].partition("@")[0]: (OutboxState(row["state"]), row["attempts"], row["last_response"])
        for row in rows
    }


def test_what_the_relay_takes_is_sent_once(store: Store, sink: tuple[Sink, int]) -> None:
    handler, port = sink
    settings, clock = settings_for(port), FixedClock(START)
    transport = SmtpTransport(settings.mail, ROBOT)
    queue(store, settings, "joe", "jane")
    assert deliver_due(store, settings, clock, transport) == Delivered(sent=2)
    assert deliver_due(store, settings, clock, transport) == Delivered()
    assert [(sender, to) for sender, to, _ in handler.taken] == [
        (ROBOT, "joe@a.example"),
        (ROBOT, "jane@a.example"),
    ]
    assert b"Hello joe\r\n.\r\nbye\r\n" in handler.taken[0][2]
    assert listing(store)["joe"] == (OutboxState.SENT, 1, "250 taken as 4711")


def test_each_answer_of_the_relay_has_its_end(store: Store, sink: tuple[Sink, int]) -> None:
    handler, port = sink
    settings = settings_for(port)
    queue(store, settings, "full", "gone", "later", "spam", "joe")
    done = deliver_due(store, settings, FixedClock(START), SmtpTransport(settings.mail, ROBOT))
    assert done == Delivered(sent=1, deferred=2, failed=2)
    assert listing(store) == {
        "full": (OutboxState.READY, 1, "452 mailbox full"),
        "gone": (OutboxState.FAILED, 1, "550 no such user"),
        "later": (OutboxState.READY, 1, "451 try later"),
        "spam": (OutboxState.FAILED, 1, "554 looks like spam"),
        "joe": (OutboxState.SENT, 1, "250 taken as 4711"),
    }
    assert len(handler.taken) == 1


def test_a_deferred_mail_waits_longer_each_time_and_is_given_up_in_the_end(
    store: Store, sink: tuple[Sink, int]
) -> None:
    _, port = sink
    settings, clock = settings_for(port, give_up_after_hours=4), FixedClock(START)
    transport = SmtpTransport(settings.mail, ROBOT)
    queue(store, settings, "later")
    attempts = []
    for minute in range(5 * 60):
        clock.at = START + timedelta(minutes=minute)
        if deliver_due(store, settings, clock, transport) != Delivered():
            attempts.append(minute)
    assert attempts == [0, 1, 3, 8, 23, 53, 113, 173, 233, 293]
    assert listing(store)["later"] == (OutboxState.FAILED, 10, "given up: 451 try later")


def test_the_waiting_time_stops_growing_at_an_hour() -> None:
    assert [back_off(n) // timedelta(minutes=1) for n in (0, 1, 2, 3, 4, 5, 6, 500)] == [
        1,
        2,
        5,
        15,
        30,
        60,
        60,
        60,
    ]


def test_an_unreachable_relay_costs_one_attempt_not_one_for_each_mail(store: Store) -> None:
    settings = settings_for(free_port())
    queue(store, settings, "joe", "jane", "mona")
    done = deliver_due(store, settings, FixedClock(START), SmtpTransport(settings.mail, ROBOT))
    assert done == Delivered(deferred=1)
    states = listing(store)
    assert [states[name][1] for name in ("joe", "jane", "mona")] == [1, 0, 0]
    assert "cannot use the relay 127.0.0.1:" in states["joe"][2]


def test_a_connection_that_dies_defers_the_mail_and_does_not_keep_the_next_from_going(
    store: Store, sink: tuple[Sink, int]
) -> None:
    _, port = sink
    settings = settings_for(port)
    clock = FixedClock(START)
    transport = SmtpTransport(settings.mail, ROBOT)
    queue(store, settings, "die", "joe")
    done = []
    for minute in range(3):
        clock.at = START + timedelta(minutes=minute)
        done.append(deliver_due(store, settings, clock, transport))
    assert done == [Delivered(deferred=1), Delivered(deferred=1), Delivered(sent=1)]


def test_a_relay_that_refuses_everybody_costs_no_mail(store: Store, sink: tuple[Sink, int]) -> None:
    handler, port = sink
    settings, clock = settings_for(port), FixedClock(START)
    transport = SmtpTransport(settings.mail, ROBOT)
    handler.blocks_us = True
    queue(store, settings, *(f"joe{number}" for number in range(13)))
    assert deliver_due(store, settings, clock, transport) == Delivered(deferred=10)
    assert {state for state, _, _ in listing(store).values()} == {OutboxState.READY}
    assert "refuses everything" in listing(store)["joe0"][2]
    assert deliver_due(store, settings, clock, transport) == Delivered()  # nobody is asked in vain
    handler.blocks_us = False
    clock.at = START + timedelta(minutes=1)
    assert deliver_due(store, settings, clock, transport) == Delivered(sent=13)


def test_nine_unknown_recipients_in_a_row_are_their_own_fault(store: Store, sink: tuple[Sink, int]) -> None:
    _, port = sink
    settings = settings_for(port)
    queue(store, settings, *(f"gone{number}" for number in range(9)), "joe", "gone9")
    done = deliver_due(store, settings, FixedClock(START), SmtpTransport(settings.mail, ROBOT))
    assert done == Delivered(sent=1, failed=10)


def test_a_relay_that_does_not_like_us_is_not_the_recipients_fault(
    store: Store, sink: tuple[Sink, int]
) -> None:
    _, port = sink
    settings = settings_for(port)
    queue(store, settings, "joe")
    done = deliver_due(
        store, settings, FixedClock(START), SmtpTransport(settings.mail, "banned@contest.example")
    )
    assert done == Delivered(deferred=1)


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_without_the_encryption_that_was_asked_for_nothing_is_sent(
    store: Store, sink: tuple[Sink, int], security: str
) -> None:
    handler, port = sink
    settings = settings_for(port, security=security, username="knobeln", password="secret")
    queue(store, settings, "joe")
    done = deliver_due(store, settings, FixedClock(START), SmtpTransport(settings.mail, ROBOT))
    assert done == Delivered(deferred=1)
    assert handler.taken == []


def test_a_login_that_the_relay_does_not_offer_defers(store: Store, sink: tuple[Sink, int]) -> None:
    _, port = sink
    settings = settings_for(port, username="knobeln", password="secret")
    queue(store, settings, "joe")
    done = deliver_due(store, settings, FixedClock(START), SmtpTransport(settings.mail, ROBOT))
    assert done == Delivered(deferred=1)
    assert "secret" not in listing(store)["joe"][2]


def test_a_mail_becomes_a_file_in_the_maildir_of_its_recipient(store: Store, tmp_path: Path) -> None:
    settings = make_settings()
    queue(store, settings, "joe", "jane")
    transport = transport_of(settings, tmp_path)
    assert deliver_due(store, settings, FixedClock(START), transport) == Delivered(sent=2)
    box = mailbox.Maildir(tmp_path / "mail" / "joe@a.example", create=False)
    (message,) = box
    assert message["To"] == "joe@a.example"
    assert message.get_subdir() == "new"
    assert "Hello joe\n.\nbye\n" in str(message.get_payload())


FOLDERS = [
    ("Joe@A.Example", "joe@a.example"),
    ("../../etc/passwd@x.example", "%2E./../etc/passwd@x.example".replace("/", "%2F")),
    (".hidden@x.example", "%2Ehidden@x.example"),
    ("a/b@x.example", "a%2Fb@x.example"),
    ("a" * 300, "a" * 200),
]


@pytest.mark.parametrize(("address", "name"), FOLDERS)
def test_a_folder_is_named_safely(address: str, name: str) -> None:
    assert folder_name(address) == name


def test_a_file_in_the_place_of_the_folder_defers(store: Store, tmp_path: Path) -> None:
    (tmp_path / "mail").write_text("in the way")
    settings = make_settings()
    queue(store, settings, "joe")
    done = deliver_due(store, settings, FixedClock(START), MaildirTransport(tmp_path / "mail"))
    assert done == Delivered(deferred=1)
    assert "cannot write" in listing(store)["joe"][2]


def test_a_mail_goes_into_its_maildir_once_though_it_was_not_noted_as_sent(tmp_path: Path) -> None:
    transport = MaildirTransport(tmp_path)
    first, again = (transport.send("joe@a.example", b"Subject: x\r\n\r\none\r\n") for _ in range(2))
    other = transport.send("joe@a.example", b"Subject: x\r\n\r\ntwo\r\n")
    assert again == "was kept before"
    assert first != other
    box = mailbox.Maildir(tmp_path / "joe@a.example")
    assert sorted(str(mail.get_payload()) for mail in box) == ["one\n", "two\n"]
    assert list((tmp_path / "joe@a.example" / "tmp").iterdir()) == []


def test_a_mail_that_was_read_in_its_maildir_does_not_come_back(tmp_path: Path) -> None:
    transport = MaildirTransport(tmp_path)
    transport.send("joe@a.example", b"Subject: x\r\n\r\none\r\n")
    (new,) = (tmp_path / "joe@a.example" / "new").iterdir()
    new.rename(tmp_path / "joe@a.example" / "cur" / f"{new.name}:2,S")
    assert transport.send("joe@a.example", b"Subject: x\r\n\r\none\r\n") == "was kept before"
    assert list((tmp_path / "joe@a.example" / "new").iterdir()) == []


def test_a_maildir_that_was_left_half_made_is_completed(tmp_path: Path) -> None:
    (tmp_path / folder_name("joe@a.example")).mkdir()
    MaildirTransport(tmp_path).send("joe@a.example", b"Subject: x\r\n\r\ny\r\n")
    assert len(list(tmp_path.glob("*/new/*"))) == 1
