"""The outbox on its way: into Maildirs, and to a real SMTP sink that takes, defers, refuses or dies."""

from __future__ import annotations

import mailbox
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from contest.config.settings import Settings
from contest.model import OutboxState, Outgoing
from contest.schema.sections import DeliveryKind, Mail
from contest.store import Store, contest_state, outbox
from mailserver.delivery import deliver
from mailserver.delivery.deliver import Delivered, back_off, deliver_due
from mailserver.delivery.transports import transport_of
from mailserver.delivery.transports.local import MaildirTransport, folder_name
from mailserver.delivery.transports.smtp import MAX_CONNECTIONS
from mailserver.delivery.verp import bounced_items
from tests.support.clocks import FixedClock
from tests.support.mail_world import START, make_settings
from tests.support.relays import Sink, relay
from tests.support.servers import free_port

ROBOT = "knobeln@contest.example"
NOWHERE = Path("/nonexistent")


@pytest.fixture
def sink() -> Iterator[tuple[Sink, int]]:
    handler = Sink()
    with relay(handler) as port:
        yield handler, port


def settings_for(port: int, robot: str = ROBOT, **mail: object) -> Settings:
    section = Mail(delivery=DeliveryKind.SMTP, smarthost=f"127.0.0.1:{port}", **mail)  # type: ignore[arg-type]
    return make_settings(mail=section, contest={"address": robot})


def queue(store: Store, settings: Settings, *names: str, at: datetime = START) -> None:
    """Mails for these recipients; what comes after a slash makes them different mails."""
    with store.write() as tx:
        for name in names:
            to = f"{name.partition('/')[0]}@a.example"
            mail = Outgoing(f"key/{name}", "GRR", to, "ranking", f"Hello {name}\n.\nbye\n")
            outbox.put(tx, mail, settings, at)


def listing(store: Store) -> dict[str, tuple[OutboxState, int, str]]:
    with store.read() as tx:
        rows = outbox.listing(tx, state=None, to=None, count=1_000)
    return {row.to.partition("@")[0]: (row.state, row.attempts, row.last_response) for row in rows}


def test_what_the_relay_takes_is_sent_once(store: Store, sink: tuple[Sink, int]) -> None:
    handler, port = sink
    settings, clock = settings_for(port), FixedClock(START)
    transport = transport_of(settings, NOWHERE)
    queue(store, settings, "joe", "jane")
    assert deliver_due(store, settings, clock, transport) == Delivered(sent=2)
    assert deliver_due(store, settings, clock, transport) == Delivered()
    assert [to for _, to, _ in handler.taken] == ["joe@a.example", "jane@a.example"]
    assert handler.conversations == 1
    assert b"Hello joe\r\n.\r\nbye\r\n" in handler.taken[0][2]
    assert listing(store)["joe"] == (OutboxState.SENT, 1, "250 taken as 4711")


def test_each_answer_of_the_relay_has_its_end(store: Store, sink: tuple[Sink, int]) -> None:
    handler, port = sink
    settings = settings_for(port)
    queue(store, settings, "full", "gone", "later", "spam", "joe")
    done = deliver_due(store, settings, FixedClock(START), transport_of(settings, NOWHERE))
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
    store: Store, sink: tuple[Sink, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, port = sink
    monkeypatch.setattr(deliver, "GIVE_UP_AFTER", timedelta(hours=4))
    settings, clock = settings_for(port), FixedClock(START)
    transport = transport_of(settings, NOWHERE)
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
    done = deliver_due(store, settings, FixedClock(START), transport_of(settings, NOWHERE))
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
    transport = transport_of(settings, NOWHERE)
    queue(store, settings, "die", "joe")
    done = []
    for minute in range(3):
        clock.at = START + timedelta(minutes=minute)
        done.append(deliver_due(store, settings, clock, transport))
    assert done == [Delivered(deferred=1), Delivered(deferred=1), Delivered(sent=1)]


def test_a_relay_that_refuses_everybody_costs_no_mail(store: Store, sink: tuple[Sink, int]) -> None:
    handler, port = sink
    settings, clock = settings_for(port), FixedClock(START)
    transport = transport_of(settings, NOWHERE)
    handler.blocks_us = True
    queue(store, settings, *(f"joe{number}" for number in range(13)))
    assert deliver_due(store, settings, clock, transport) == Delivered(deferred=10)
    assert {state for state, _, _ in listing(store).values()} == {OutboxState.READY}
    assert "refuses everything" in listing(store)["joe0"][2]
    assert deliver_due(store, settings, clock, transport) == Delivered()  # nobody is asked in vain
    handler.blocks_us = False
    clock.at = START + timedelta(minutes=1)
    assert deliver_due(store, settings, clock, transport) == Delivered(sent=13)


MANY = [f"joe{number % 30}/{number}" for number in range(60)]  # for 30 recipients


def test_many_mails_go_over_several_connections_and_those_for_one_recipient_in_their_order(
    store: Store, sink: tuple[Sink, int]
) -> None:
    handler, port = sink
    settings = settings_for(port)
    queue(store, settings, *MANY)
    done = deliver_due(store, settings, FixedClock(START), transport_of(settings, NOWHERE))
    assert done == Delivered(sent=60)
    assert handler.conversations == MAX_CONNECTIONS
    for number in range(30):
        first, second = handler.messages_to(f"joe{number}")
        assert f"Hello joe{number}/{number}\r\n".encode() in first
        assert f"Hello joe{number}/{number + 30}\r\n".encode() in second


@pytest.mark.parametrize("accepts", [1, 2])
def test_a_relay_that_takes_fewer_connections_gets_all_mails_over_one(
    store: Store, sink: tuple[Sink, int], accepts: int
) -> None:
    handler, port = sink
    handler.conversations_at_once = accepts
    settings = settings_for(port)
    queue(store, settings, *MANY)
    transport = transport_of(settings, NOWHERE)
    assert deliver_due(store, settings, FixedClock(START), transport) == Delivered(sent=60)
    assert {attempts for _, attempts, _ in listing(store).values()} == {1}
    queue(store, settings, *(f"later{name}" for name in MANY))
    before = handler.conversations
    assert deliver_due(store, settings, FixedClock(START), transport) == Delivered(sent=60)
    assert handler.conversations == before + 1


def test_a_relay_that_refuses_many_over_several_connections_costs_no_mail(
    store: Store, sink: tuple[Sink, int]
) -> None:
    handler, port = sink
    handler.blocks_us = True
    settings, clock = settings_for(port), FixedClock(START)
    queue(store, settings, *MANY)
    transport = transport_of(settings, NOWHERE)
    assert deliver_due(store, settings, clock, transport) == Delivered(deferred=10)
    handler.blocks_us = False
    clock.at = START + timedelta(minutes=1)
    assert deliver_due(store, settings, clock, transport) == Delivered(sent=60)


def test_one_recipient_among_many_over_several_connections_is_unknown(
    store: Store, sink: tuple[Sink, int]
) -> None:
    _, port = sink
    settings = settings_for(port)
    queue(store, settings, *MANY, "gone1", "gone2", "gone3", "gone4", "later")
    done = deliver_due(store, settings, FixedClock(START), transport_of(settings, NOWHERE))
    assert done == Delivered(sent=60, failed=4, deferred=1)


def test_a_relay_that_is_away_costs_one_attempt_of_many_mails(store: Store) -> None:
    settings = settings_for(free_port())
    queue(store, settings, *MANY)
    done = deliver_due(store, settings, FixedClock(START), transport_of(settings, NOWHERE))
    assert done == Delivered(deferred=1)
    with store.read() as tx:
        rows = outbox.listing(tx, state=None, to=None, count=100)
    assert sum(row.attempts for row in rows) == 1


def test_nine_unknown_recipients_in_a_row_are_their_own_fault(store: Store, sink: tuple[Sink, int]) -> None:
    _, port = sink
    settings = settings_for(port)
    queue(store, settings, *(f"gone{number}" for number in range(9)), "joe", "gone9")
    done = deliver_due(store, settings, FixedClock(START), transport_of(settings, NOWHERE))
    assert done == Delivered(sent=1, failed=10)


def test_a_relay_that_does_not_like_our_address_is_not_the_recipients_fault(
    store: Store, sink: tuple[Sink, int]
) -> None:
    _, port = sink
    settings = settings_for(port, robot="banned@contest.example")
    queue(store, settings, "joe", "jane")
    done = deliver_due(store, settings, FixedClock(START), transport_of(settings, NOWHERE))
    assert done == Delivered(deferred=1)
    assert "takes no mails from banned+b-1-" in listing(store)["joe"][2]


@pytest.mark.parametrize("verp", [True, False])
def test_a_relay_that_lets_us_send_from_one_address_only_costs_no_mail(
    store: Store, sink: tuple[Sink, int], verp: bool
) -> None:
    handler, port = sink
    handler.checks_sender_of = ROBOT
    settings = settings_for(port, verp=verp)
    queue(store, settings, "joe", "jane")
    done = deliver_due(store, settings, FixedClock(START), transport_of(settings, NOWHERE))
    assert done == (Delivered(deferred=1) if verp else Delivered(sent=2))


def test_each_mail_has_a_sender_of_its_own(store: Store, sink: tuple[Sink, int]) -> None:
    handler, port = sink
    settings = settings_for(port)
    queue(store, settings, "joe", "jane")
    deliver_due(store, settings, FixedClock(START), transport_of(settings, NOWHERE))
    with store.read() as tx:
        secret = contest_state.secret(tx)
    senders = [sender for sender, _, _ in handler.taken]
    assert [bounced_items(sender, ROBOT, secret) for sender in senders] == [(1,), (2,)]


def test_a_relay_that_takes_one_mail_in_a_conversation_is_called_again_at_once(
    store: Store, sink: tuple[Sink, int]
) -> None:
    handler, port = sink
    handler.mails_in_a_conversation = 1
    settings = settings_for(port)
    queue(store, settings, "joe", "jane", "mona")
    done = deliver_due(store, settings, FixedClock(START), transport_of(settings, NOWHERE))
    assert done == Delivered(sent=3)
    assert handler.conversations == 3


def test_a_mail_larger_than_the_relay_takes_fails(store: Store) -> None:
    handler = Sink()
    with relay(handler, data_size_limit=400) as port, store.write() as tx:
        settings = settings_for(port)
        mail = Outgoing("key", "GRR", "joe@a.example", "ranking", "x\n" * 400)
        outbox.put(tx, mail, settings, START)
        outbox.put(tx, replace(mail, key="other", to="jane@a.example", body="x\n"), settings, START)
    with relay(handler, port=port, data_size_limit=1_000):
        done = deliver_due(store, settings, FixedClock(START), transport_of(settings, NOWHERE))
    assert done == Delivered(sent=1, failed=1)


def test_a_connection_cut_after_the_mail_was_taken_gives_the_same_mail_twice(
    store: Store, sink: tuple[Sink, int]
) -> None:
    """SMTP cannot know better; whoever gets both sees one Message-ID."""
    handler, port = sink
    settings, clock = settings_for(port), FixedClock(START)
    transport = transport_of(settings, NOWHERE)
    queue(store, settings, "cut")
    assert deliver_due(store, settings, clock, transport) == Delivered(deferred=1)
    clock.at += timedelta(minutes=1)
    assert deliver_due(store, settings, clock, transport) == Delivered(deferred=1)
    first, second = handler.messages_to("cut")
    assert first == second
    assert b"Message-ID: <" in first


def test_a_relay_that_is_away_for_an_hour_costs_no_mail_and_doubles_none(store: Store) -> None:
    handler, port = Sink(), free_port()
    settings, clock = settings_for(port), FixedClock(START)
    transport = transport_of(settings, NOWHERE)
    names = [f"joe{number}" for number in range(120)]

    def minutes(first: int, last: int) -> Delivered:
        total = Delivered()
        for minute in range(first, last):
            clock.at = START + timedelta(minutes=minute)
            queue(store, settings, *names[minute : minute + 1], at=clock.at)
            total += deliver_due(store, settings, clock, transport)
        return total

    with relay(handler, port=port):
        total = minutes(0, 30)
    total += minutes(30, 90)
    with relay(handler, port=port):
        total += minutes(90, 180)
    assert total.sent == 120
    assert total.failed == 0
    assert sorted(to.partition("@")[0] for _, to, _ in handler.taken) == sorted(names)
    assert {state for state, _, _ in listing(store).values()} == {OutboxState.SENT}


def test_what_the_organizer_holds_is_not_sent_until_it_is_released(
    store: Store, sink: tuple[Sink, int]
) -> None:
    handler, port = sink
    settings, clock = settings_for(port), FixedClock(START)
    transport = transport_of(settings, NOWHERE)
    queue(store, settings, "joe", "jane", "mona")
    with store.write() as tx:
        assert outbox.hold(tx, ids=(1, 77)) == (1,)
        assert outbox.hold(tx, to="JANE@a.example") == (2,)
    assert deliver_due(store, settings, clock, transport) == Delivered(sent=1)
    with store.write() as tx:
        assert outbox.hold(tx) == ()
        assert outbox.release(tx, START, ids=(3,)) == ()
        assert outbox.release(tx, START) == (1, 2)
    assert deliver_due(store, settings, clock, transport) == Delivered(sent=2)
    assert len(handler.taken) == 3


def test_what_is_held_while_a_batch_goes_out_stays(store: Store, sink: tuple[Sink, int]) -> None:
    _, port = sink
    settings = settings_for(port)
    queue(store, settings, "joe", "jane")
    relay_transport = transport_of(settings, NOWHERE)

    class HoldsMeanwhile:
        connections = 1

        def send(self, sender: str, to: str, raw: bytes) -> str:
            with store.write() as tx:
                outbox.hold(tx, ids=(2,))
            return relay_transport.send(sender, to, raw)

        def close(self) -> None:
            relay_transport.close()

    assert deliver_due(store, settings, FixedClock(START), HoldsMeanwhile()) == Delivered(sent=1)
    assert listing(store)["jane"][0] is OutboxState.HELD


def test_a_mail_that_was_given_up_gets_its_whole_time_again_when_it_is_put_back(
    store: Store, sink: tuple[Sink, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, port = sink
    monkeypatch.setattr(deliver, "GIVE_UP_AFTER", timedelta(hours=4))
    settings, clock = settings_for(port), FixedClock(START)
    transport = transport_of(settings, NOWHERE)
    queue(store, settings, "later", "gone")
    for hours in range(8):
        clock.at = START + timedelta(hours=hours)
        deliver_due(store, settings, clock, transport)
    assert {state for state, _, _ in listing(store).values()} == {OutboxState.FAILED}
    with store.write() as tx:
        assert outbox.retry(tx, clock.now(), to="later@a.example") == (1,)
    assert deliver_due(store, settings, clock, transport) == Delivered(deferred=1)
    with store.write() as tx:
        assert outbox.retry(tx, clock.now()) == (1, 2)  # waiting, and failed
    assert deliver_due(store, settings, clock, transport) == Delivered(deferred=1, failed=1)


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_without_the_encryption_that_was_asked_for_nothing_is_sent(
    store: Store, sink: tuple[Sink, int], security: str
) -> None:
    handler, port = sink
    settings = settings_for(port, security=security, username="knobeln", password="secret")
    queue(store, settings, "joe")
    done = deliver_due(store, settings, FixedClock(START), transport_of(settings, NOWHERE))
    assert done == Delivered(deferred=1)
    assert handler.taken == []


def test_a_login_that_the_relay_does_not_offer_defers(store: Store, sink: tuple[Sink, int]) -> None:
    _, port = sink
    settings = settings_for(port, username="knobeln", password="secret")
    queue(store, settings, "joe")
    done = deliver_due(store, settings, FixedClock(START), transport_of(settings, NOWHERE))
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
    first, again = (transport.send(ROBOT, "joe@a.example", b"Subject: x\r\n\r\none\r\n") for _ in range(2))
    other = transport.send(ROBOT, "joe@a.example", b"Subject: x\r\n\r\ntwo\r\n")
    assert again == "was kept before"
    assert first != other
    box = mailbox.Maildir(tmp_path / "joe@a.example")
    assert sorted(str(mail.get_payload()) for mail in box) == ["one\n", "two\n"]
    assert list((tmp_path / "joe@a.example" / "tmp").iterdir()) == []


def test_a_mail_that_was_read_in_its_maildir_does_not_come_back(tmp_path: Path) -> None:
    transport = MaildirTransport(tmp_path)
    transport.send(ROBOT, "joe@a.example", b"Subject: x\r\n\r\none\r\n")
    (new,) = (tmp_path / "joe@a.example" / "new").iterdir()
    new.rename(tmp_path / "joe@a.example" / "cur" / f"{new.name}:2,S")
    assert transport.send(ROBOT, "joe@a.example", b"Subject: x\r\n\r\none\r\n") == "was kept before"
    assert list((tmp_path / "joe@a.example" / "new").iterdir()) == []


def test_a_maildir_that_was_left_half_made_is_completed(tmp_path: Path) -> None:
    (tmp_path / folder_name("joe@a.example")).mkdir()
    MaildirTransport(tmp_path).send(ROBOT, "joe@a.example", b"Subject: x\r\n\r\ny\r\n")
    assert len(list(tmp_path.glob("*/new/*"))) == 1


def test_mails_put_off_by_a_clock_that_was_years_ahead_go_when_it_is_right(
    store: Store, sink: tuple[Sink, int]
) -> None:
    handler, port = sink
    settings, clock = settings_for(port), FixedClock(START + timedelta(days=3_650))
    transport = transport_of(settings, NOWHERE)
    queue(store, settings, "later", "joe", at=clock.at)
    with store.write() as tx:
        outbox.wait_until(tx, clock.at + timedelta(minutes=1))
    clock.at = START
    assert deliver_due(store, settings, clock, transport) == Delivered(sent=1, deferred=1)
    assert len(handler.taken) == 1
    clock.at = START + timedelta(minutes=1)
    assert deliver_due(store, settings, clock, transport) == Delivered(deferred=1)


def test_a_clock_that_jumps_ahead_gives_up_no_mail(store: Store, sink: tuple[Sink, int]) -> None:
    _, port = sink
    settings, clock = settings_for(port), FixedClock(START)
    transport = transport_of(settings, NOWHERE)
    queue(store, settings, "later")
    for days in (0, 3_650):
        clock.at = START + timedelta(days=days)
        assert deliver_due(store, settings, clock, transport) == Delivered(deferred=1)
