"""The outbox on its way: into Maildirs, and to a real SMTP sink that takes, defers, refuses or
dies."""

import mailbox
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from contest.config.settings import Settings
from contest.model import OutboxState, Outgoing
from contest.schema.sections import DeliveryKind, Mail
from mailserver.bounces import bounced_items, tagged_addresses
from mailserver.delivery import deliver
from mailserver.delivery.deliver import Delivered, Delivery
from mailserver.delivery.transports import Transport, transport_of
from mailserver.delivery.transports.local import MaildirTransport, folder_name
from store import Store, contest_state, outbox
from tests.support.clocks import FixedClock
from tests.support.mail_world import START, make_settings
from tests.support.relays import Sink, relay
from tests.support.servers import free_port

ROBOT = "knobeln@contest.example"
MINUTE = timedelta(minutes=1)


class Post:
    """The outbox of a contest, and the way out of it: to a relay unless told otherwise."""

    def __init__(self, store: Store, settings: Settings, transport: Transport) -> None:
        self.store, self.settings, self.transport = store, settings, transport
        self.clock = FixedClock(START)
        self.delivery = Delivery(store, settings, self.clock, transport)

    def queue(self, *names: str, is_report: bool = False) -> None:
        """Mails for these recipients; what comes after a slash makes them different mails."""
        with self.store.write() as tx:
            for name in names:
                to = f"{name.partition('/')[0]}@a.example"
                text = f"Hello {name}\n.\nbye\n"
                mail = Outgoing(f"key/{name}", "GRR", to, "ranking", text, is_report=is_report)
                outbox.put(tx, mail, self.settings, self.clock.at)

    def deliver(self, after: timedelta | None = None) -> Delivered:
        """What comes of the mails that are due now, or so long after the start."""
        if after is not None:
            self.clock.at = START + after
        return self.delivery.deliver_due()

    def listing(self) -> dict[str, tuple[OutboxState, int, str]]:
        with self.store.read() as tx:
            rows = outbox.listing(tx, state=None, to=None, count=1_000)
        return {
            row.to.partition("@")[0]: (row.state, row.attempts, row.last_response) for row in rows
        }


def smtp_settings(port: int, robot: str = ROBOT, **mail: object) -> Settings:
    section = Mail(delivery=DeliveryKind.SMTP, smarthost=f"127.0.0.1:{port}", **mail)
    return make_settings(mail=section, contest={"address": robot})


@pytest.fixture
def make_post(store: Store) -> Callable[..., Post]:
    def make(port: int, **options: object) -> Post:
        settings = smtp_settings(port, **options)
        return Post(store, settings, transport_of(settings, Path("/nonexistent")))

    return make


@pytest.fixture
def relayed() -> Iterator[tuple[Sink, int]]:
    handler = Sink()
    with relay(handler) as port:
        yield handler, port


@pytest.fixture
def sink(relayed: tuple[Sink, int]) -> Sink:
    return relayed[0]


@pytest.fixture
def post(make_post: Callable[..., Post], relayed: tuple[Sink, int]) -> Post:
    return make_post(relayed[1])


def test_what_the_relay_takes_is_sent_once(post: Post, sink: Sink) -> None:
    post.queue("joe", "jane")
    assert post.deliver() == Delivered(sent=2)
    assert post.deliver() == Delivered()
    assert [to for _, to, _ in sink.taken] == ["joe@a.example", "jane@a.example"]
    assert sink.conversations == 1
    assert b"Hello joe\r\n.\r\nbye\r\n" in sink.taken[0][2]
    assert post.listing()["joe"] == (OutboxState.SENT, 1, "250 taken as 4711")


def test_mails_above_the_limits_wait_and_answers_come_before_reports(
    make_post: Callable[..., Post], relayed: tuple[Sink, int]
) -> None:
    sink, port = relayed
    post = make_post(port, limits=("10 per hour",))
    post.queue(*(f"report{number}" for number in range(12)), is_report=True)
    post.queue("joe")
    assert post.deliver() == Delivered(sent=9)
    assert [to.partition("@")[0] for _, to, _ in sink.taken][:2] == ["joe", "report0"]
    post.queue("jane")
    assert post.deliver(59 * MINUTE) == Delivered(sent=1)
    post.queue("jim")
    assert post.deliver() == Delivered()  # the hour is full
    assert post.deliver(60 * MINUTE) == Delivered(sent=5)
    assert [to.partition("@")[0] for _, to, _ in sink.taken][9:11] == ["jane", "jim"]
    assert len(sink.taken) == 15


def test_where_the_relay_says_that_we_have_sent_enough_all_mails_wait(
    post: Post, sink: Sink
) -> None:
    sink.mails_in_a_day = 2
    post.queue("joe", "jane", "jim", "jack")
    assert post.deliver() == Delivered(sent=2, deferred=1)
    assert post.deliver(14 * MINUTE) == Delivered()
    assert post.deliver(15 * MINUTE) == Delivered(deferred=1)
    assert sink.conversations == 2
    sink.mails_in_a_day = 10
    assert post.deliver(30 * MINUTE) == Delivered(sent=2)


def test_each_answer_of_the_relay_has_its_end(post: Post, sink: Sink) -> None:
    post.queue("full", "gone", "later", "spam", "joe")
    assert post.deliver() == Delivered(sent=1, deferred=2, failed=2)
    assert post.listing() == {
        "full": (OutboxState.READY, 1, "452 mailbox full"),
        "gone": (OutboxState.FAILED, 1, "550 no such user"),
        "later": (OutboxState.READY, 1, "451 try later"),
        "spam": (OutboxState.FAILED, 1, "554 looks like spam"),
        "joe": (OutboxState.SENT, 1, "250 taken as 4711"),
    }
    assert len(sink.taken) == 1


def test_a_deferred_mail_waits_longer_each_time_and_is_given_up_in_the_end(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliver, "GIVE_UP_AFTER", timedelta(hours=4))
    post.queue("later")
    attempts = []
    for minute in range(5 * 60):
        if post.deliver(minute * MINUTE) != Delivered():
            attempts.append(minute)
    assert attempts == [0, 1, 3, 8, 23, 53, 113, 173, 233, 293]
    assert post.listing()["later"] == (OutboxState.FAILED, 10, "given up: 451 try later")


def test_an_unreachable_relay_costs_one_attempt_not_one_for_each_mail(
    make_post: Callable[..., Post],
) -> None:
    post = make_post(free_port())
    post.queue("joe", "jane", "mona")
    assert post.deliver() == Delivered(deferred=1)
    with post.store.read() as tx:
        rows = outbox.listing(tx, state=None, to=None, count=100)
    assert [row.attempts for row in sorted(rows, key=lambda row: row.id)] == [1, 0, 0]
    assert any("cannot use the relay 127.0.0.1:" in row.last_response for row in rows)


BREAKING = ("die", "hangup", "reset", "421now")


@pytest.mark.parametrize("name", BREAKING)
def test_mails_that_the_connection_dies_of_hold_up_nobody(
    post: Post, sink: Sink, name: str
) -> None:
    post.queue(*(f"{name}/{number}" for number in range(4)), "joe", "jane")
    assert post.deliver() == Delivered(sent=2, deferred=4)
    assert [len(sink.messages_to(name)) for name in ("joe", "jane")] == [1, 1]
    assert post.deliver(MINUTE) == Delivered(deferred=4)


def test_a_relay_that_hangs_up_over_everything_is_let_alone_for_a_while(post: Post) -> None:
    post.queue(*(f"die/{number}" for number in range(12)))
    assert post.deliver() == Delivered(deferred=10)
    assert post.deliver() == Delivered()
    with post.store.read() as tx:
        rows = outbox.listing(tx, state=None, to=None, count=100)
    assert any("hangs up over everything" in row.last_response for row in rows)


@pytest.mark.parametrize("name", ["silent", "mute"])
def test_a_mail_without_an_answer_holds_the_others_up_for_a_moment(
    post: Post, sink: Sink, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliver, "PATIENCE_SECONDS", 3.0)  # on a busy host joe takes some, too
    post.queue(name, "joe", "jane")
    started = time.monotonic()
    assert post.deliver() == Delivered(sent=2)
    assert time.monotonic() - started < 30
    assert post.listing()[name][2] == "the relay has not answered yet"
    assert post.deliver(MINUTE) == Delivered()  # it is not sent twice
    sink.may_answer.set()
    assert post.delivery.finish() == Delivered(sent=1)
    assert post.listing()[name] == (OutboxState.SENT, 1, "250 taken as 4711")
    assert len(sink.messages_to(name)) == 1


def test_so_many_answers_are_waited_for_and_no_more(
    post: Post, sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliver, "PATIENCE_SECONDS", 0.1)
    post.queue(*(f"silent/{number}" for number in range(7)), "joe")
    assert [post.deliver() for _ in range(2)] == [Delivered(), Delivered()]
    assert sink.messages_to("joe") == []
    sink.may_answer.set()
    monkeypatch.undo()
    assert post.delivery.finish() == Delivered(sent=deliver.MAX_SLOW)
    assert post.deliver() == Delivered(sent=3)


def test_a_relay_that_refuses_everybody_costs_no_mail(post: Post, sink: Sink) -> None:
    sink.blocks_us = True
    post.queue(*(f"joe{number}" for number in range(13)))
    assert post.deliver() == Delivered(deferred=10)
    assert {state for state, _, _ in post.listing().values()} == {OutboxState.READY}
    assert any("refuses everything" in said for _, _, said in post.listing().values())
    assert post.deliver() == Delivered()  # nobody is asked in vain
    sink.blocks_us = False
    assert post.deliver(MINUTE) == Delivered(sent=13)


def test_nine_unknown_recipients_in_a_row_are_their_own_fault(post: Post) -> None:
    post.queue(*(f"gone{number}" for number in range(9)), "joe", "gone9")
    assert post.deliver() == Delivered(sent=1, failed=10)


def test_a_relay_that_does_not_like_our_address_is_not_the_recipients_fault(
    make_post: Callable[..., Post], relayed: tuple[Sink, int]
) -> None:
    post = make_post(relayed[1], robot="banned@contest.example")
    post.queue("joe", "jane")
    assert post.deliver() == Delivered(deferred=1)
    assert "takes no mails from banned+b-1-" in post.listing()["joe"][2]


@pytest.mark.parametrize("verp", [True, False])
def test_a_relay_that_lets_us_send_from_one_address_only_costs_no_mail(
    make_post: Callable[..., Post], relayed: tuple[Sink, int], verp: bool
) -> None:
    sink, port = relayed
    sink.checks_sender_of = ROBOT
    post = make_post(port, verp=verp)
    post.queue("joe", "jane")
    assert post.deliver() == (Delivered(deferred=1) if verp else Delivered(sent=2))


def test_each_mail_has_a_sender_of_its_own(post: Post, sink: Sink) -> None:
    post.queue("joe", "jane")
    post.deliver()
    with post.store.read() as tx:
        secret = contest_state.secret(tx)
    senders = [sender for sender, _, _ in sink.taken]
    assert [bounced_items(tagged_addresses(sender), ROBOT, secret) for sender in senders] == [
        (1,),
        (2,),
    ]


def test_a_relay_that_takes_one_mail_in_a_conversation_is_called_again_at_once(
    post: Post, sink: Sink
) -> None:
    sink.mails_in_a_conversation = 1
    post.queue("joe", "jane", "mona")
    assert post.deliver() == Delivered(sent=3)
    assert sink.conversations == 3


def test_a_mail_larger_than_the_relay_takes_fails(make_post: Callable[..., Post]) -> None:
    port = free_port()
    post = make_post(port)
    with post.store.write() as tx:
        mail = Outgoing("key", "GRR", "joe@a.example", "ranking", "x\n" * 400)
        outbox.put(tx, mail, post.settings, START)
        outbox.put(
            tx, replace(mail, key="other", to="jane@a.example", body="x\n"), post.settings, START
        )
    with relay(Sink(), port=port, data_size_limit=1_000):
        assert post.deliver() == Delivered(sent=1, failed=1)


def test_a_connection_cut_after_the_mail_was_taken_gives_the_same_mail_twice(
    post: Post, sink: Sink
) -> None:
    """SMTP cannot know better; whoever gets both sees one Message-ID."""
    post.queue("cut")
    assert post.deliver() == Delivered(deferred=1)
    assert post.deliver(MINUTE) == Delivered(deferred=1)
    first, second = sink.messages_to("cut")
    assert first == second
    assert b"Message-ID: <" in first


@pytest.mark.slow
def test_a_relay_that_is_away_for_an_hour_costs_no_mail_and_doubles_none(
    make_post: Callable[..., Post],
) -> None:
    sink, port = Sink(), free_port()
    post = make_post(port)
    names = [f"joe{number}" for number in range(50)]

    def minutes(first: int, last: int) -> Delivered:
        total = Delivered()
        for minute in range(first, last):
            post.clock.at = START + minute * MINUTE
            post.queue(*names[minute : minute + 1])
            total += post.deliver()
        return total

    with relay(sink, port=port):
        total = minutes(0, 15)
    total += minutes(15, 75)
    with relay(sink, port=port):
        total += minutes(75, 140)
    assert total.sent == 50
    assert total.failed == 0
    assert sorted(to.partition("@")[0] for _, to, _ in sink.taken) == sorted(names)
    assert {state for state, _, _ in post.listing().values()} == {OutboxState.SENT}


def test_what_is_held_while_a_batch_goes_out_stays(post: Post) -> None:
    post.queue("joe", "jane")
    relay_transport = post.transport

    class HoldsMeanwhile:
        batch = 1

        def send(self, sender: str, to: str, raw: bytes) -> str:
            with post.store.write() as tx:
                outbox.hold(tx, ids=(2,))
            return relay_transport.send(sender, to, raw)

        def close(self) -> None:
            relay_transport.close()

        def another(self) -> None:
            pass

    post.delivery = Delivery(post.store, post.settings, post.clock, HoldsMeanwhile())
    assert post.deliver() == Delivered(sent=1)
    assert post.listing()["jane"][0] is OutboxState.HELD


def test_a_mail_that_was_given_up_gets_its_whole_time_again_when_it_is_put_back(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliver, "GIVE_UP_AFTER", timedelta(hours=4))
    post.queue("later", "gone")
    for hours in range(8):
        post.deliver(timedelta(hours=hours))
    assert {state for state, _, _ in post.listing().values()} == {OutboxState.FAILED}
    with post.store.write() as tx:
        assert outbox.retry(tx, post.clock.now(), ids=(1,)) == (1,)
    assert post.deliver() == Delivered(deferred=1)
    with post.store.write() as tx:
        assert outbox.retry(tx, post.clock.now()) == (1, 2)  # waiting, and failed
    assert post.deliver() == Delivered(deferred=1, failed=1)


def test_a_mail_becomes_a_file_in_the_maildir_of_its_recipient(
    store: Store, tmp_path: Path
) -> None:
    settings = make_settings()
    post = Post(store, settings, transport_of(settings, tmp_path))
    post.queue("joe", "jane")
    assert post.deliver() == Delivered(sent=2)
    (message,) = mailbox.Maildir(tmp_path / "mail" / "joe@a.example", create=False)
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
    post = Post(store, make_settings(), MaildirTransport(tmp_path / "mail"))
    post.queue("joe")
    assert post.deliver() == Delivered(deferred=1)
    assert "cannot write" in post.listing()["joe"][2]


def test_a_mail_goes_into_its_maildir_once_though_it_was_not_noted_as_sent(tmp_path: Path) -> None:
    transport = MaildirTransport(tmp_path)
    first, again = (
        transport.send(ROBOT, "joe@a.example", b"Subject: x\r\n\r\none\r\n") for _ in range(2)
    )
    other = transport.send(ROBOT, "joe@a.example", b"Subject: x\r\n\r\ntwo\r\n")
    assert again == "was kept before"
    assert first != other
    elsewhere = MaildirTransport(tmp_path)  # as of another process
    elsewhere.send(ROBOT, "joe@a.example", b"Subject: x\r\n\r\nthree\r\n")
    for sender, text in ((elsewhere, "one"), (elsewhere, "two"), (transport, "three")):
        raw = f"Subject: x\r\n\r\n{text}\r\n".encode()
        assert sender.send(ROBOT, "joe@a.example", raw) == "was kept before"
    box = mailbox.Maildir(tmp_path / "joe@a.example")
    assert sorted(str(mail.get_payload()) for mail in box) == ["one\n", "three\n", "two\n"]
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


@pytest.mark.parametrize("queued", [timedelta(), timedelta(days=3_650)])
def test_mails_put_off_by_a_clock_that_was_years_ahead_go_when_it_is_right(
    post: Post, sink: Sink, queued: timedelta
) -> None:
    post.clock.at = START + queued
    post.queue("later", "joe")
    post.clock.at = START + timedelta(days=3_650)
    with post.store.write() as tx:
        outbox.wait_until(tx, post.clock.at + MINUTE)
    assert post.deliver(timedelta()) == Delivered(sent=1, deferred=1)
    assert len(sink.taken) == 1
    assert post.deliver(MINUTE) == Delivered(deferred=1)


def test_a_clock_that_jumps_ahead_gives_up_no_mail(post: Post) -> None:
    post.queue("later")
    for days in (0, 3_650):
        assert post.deliver(timedelta(days=days)) == Delivered(deferred=1)
