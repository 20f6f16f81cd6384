"""A mail is sent once, whatever cannot be written meanwhile, and no mail holds the others up.

The relay is a real one. The disk is full by the limit of a file's size, or another connection holds
the lock.
"""

import logging
import os
import resource
import signal
import socket
import sqlite3
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from email import message_from_bytes
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.errors import StoreBusy
from contest.model import OutboxState, Outgoing
from contest.schema.sections import Contest, DeliveryKind, Mail
from contest.util.clock import SystemClock
from contest.util.log import log
from knobeln import services
from knobeln.context import ContestContext, create_contest
from knobeln.services import SoleDelivery, deliver_all
from mailserver.delivery.deliver import MAX_UNFINISHED, Delivered, Delivery
from mailserver.delivery.transports import smtp, transport_of
from store import contest_state, outbox
from tests.support.clocks import FixedClock
from tests.support.command_line import knobeln_in
from tests.support.contest_runs import finish
from tests.support.processes import Process, start
from tests.support.relays import Sink, relay, sending_contest

ROBOT = "knobeln@contest.example"


class Meddler(Sink):
    """A relay that does something as soon as it has a mail to somebody, before it says so."""

    def __init__(self) -> None:
        super().__init__()
        self.does: dict[str, Callable[[], object]] = {}

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        answer = await super().handle_DATA(server, session, envelope)
        self.does.get(str(envelope.rcpt_tos[0]).partition("@")[0], lambda: None)()
        return answer

    def copies(self) -> dict[str, int]:
        """How often each reader got a mail."""
        return Counter(to.partition("@")[0] for _, to, _ in self.taken)

    def message_ids(self) -> set[str]:
        return {str(message_from_bytes(raw)["Message-ID"]) for _, _, raw in self.taken}


@pytest.fixture
def sink() -> Meddler:
    return Meddler()


@pytest.fixture
def folder(
    sink: Meddler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ContestContext]:
    """A contest that sends its mails to the relay, and waits for no lock."""
    with relay(sink) as port, sending_contest(tmp_path / "contest", port, monkeypatch) as made:
        yield made


def queue(folder: ContestContext, *names: str) -> None:
    with folder.store.write() as tx:
        for name in names:
            mail = Outgoing(f"key/{name}", "GRR", f"{name}@a.example", "ranking", f"Hello {name}\n")
            outbox.put(tx, mail, folder.settings, folder.clock.now())


def delivery_of(folder: ContestContext) -> SoleDelivery:
    return SoleDelivery(folder, transport_of(folder.settings, folder.path))


def states(folder: ContestContext) -> dict[OutboxState, int]:
    with folder.store.read() as tx:
        return outbox.count_by_state(tx)


# --- the database cannot be written ---------------------------------------------------------------
class Lock:
    """Another process that writes into the database, and does not end."""

    def __init__(self, folder: ContestContext) -> None:
        self._other = sqlite3.connect(folder.path / "contest.db", check_same_thread=False)

    def take(self) -> None:
        self._other.execute("BEGIN IMMEDIATE")

    def release(self) -> None:
        self._other.rollback()


class FullDisk:
    """No file can be written any more; the log of the tests is none."""

    def __init__(self, _folder: ContestContext) -> None:
        self._before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def take(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, self._before[1]))

    def release(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, self._before)


@pytest.fixture(params=[Lock, FullDisk])
def trouble(request: pytest.FixtureRequest, folder: ContestContext) -> Iterator[Lock | FullDisk]:
    """Why nothing can be written, once it is taken."""
    made = request.param(folder)
    yield made
    made.release()


def test_nothing_is_sent_while_nothing_can_be_written(
    folder: ContestContext, sink: Meddler, trouble: Lock | FullDisk
) -> None:
    queue(folder, "joe", "jane")
    delivery = delivery_of(folder)
    trouble.take()
    for _ in range(3):
        with pytest.raises(StoreBusy):
            delivery.deliver()
    trouble.release()
    assert sink.copies() == {}
    assert delivery.deliver() == Delivered(sent=2)
    assert sink.copies() == {"joe": 1, "jane": 1}


def test_what_was_sent_and_could_not_be_marked_is_marked_first_of_all(
    folder: ContestContext, sink: Meddler, trouble: Lock | FullDisk
) -> None:
    queue(folder, "joe", "jane", "mona")
    sink.does["jane"] = trouble.take
    delivery = delivery_of(folder)
    for _ in range(3):
        with pytest.raises(StoreBusy):
            delivery.deliver()
        assert sink.copies() == {"joe": 1, "jane": 1}
    assert delivery_of(folder).deliver() is None  # another process cannot know about jane
    trouble.release()
    assert delivery.deliver() == Delivered(sent=1)
    assert sink.copies() == {"joe": 1, "jane": 1, "mona": 1}
    assert states(folder) == {OutboxState.SENT: 3}
    assert delivery_of(folder).deliver() == Delivered()


@pytest.mark.parametrize("name", ["later", "spam"])
def test_a_refusal_that_could_not_be_marked_is_no_new_attempt(
    folder: ContestContext, sink: Meddler, trouble: Lock | FullDisk, name: str
) -> None:
    queue(folder, "joe", name)
    sink.does[name] = trouble.take
    delivery = delivery_of(folder)
    with pytest.raises(StoreBusy):
        delivery.deliver()
    trouble.release()
    assert delivery.deliver() == Delivered()
    with folder.store.read() as tx:
        assert {item.attempts for item in outbox.queued_after(tx, 0)} == {1}
        assert {item.sending_since for item in outbox.queued_after(tx, 0)} == {None}


def test_who_delivers_everything_waits_until_it_can_be_marked(
    folder: ContestContext, sink: Meddler, trouble: Lock | FullDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "UNWRITTEN_PAUSE_SECONDS", 0.05)
    queue(folder, "joe", "jane")
    sink.does["joe"] = trouble.take
    release = threading.Timer(1.0, trouble.release)
    release.start()
    assert deliver_all(folder, transport_of(folder.settings, folder.path)) == Delivered(sent=1)
    release.join()
    assert sink.copies() == {"joe": 1, "jane": 1}
    assert states(folder) == {OutboxState.SENT: 2}


# --- killed ---------------------------------------------------------------------------------------
def flush(folder: ContestContext, held_until: Path) -> Process:
    """`knobeln mail flush`, not before this file is there."""
    wait = f"while [ ! -e '{held_until}' ]; do sleep 0.02; done; exec \"$@\""
    command = [sys.executable, "-m", "knobeln", "mail", "flush", "-C", str(folder.path)]
    return start(["sh", "-c", wait, "sh", *command], folder.path / "log")


def flush_and_be_killed(folder: ContestContext, sink: Meddler, name: str, go: Path) -> None:
    go.unlink(missing_ok=True)
    process = flush(folder, go)
    sink.does[name] = lambda: os.kill(process.pid, signal.SIGKILL)
    go.touch()
    assert finish(process) == -signal.SIGKILL
    del sink.does[name]


@pytest.mark.slow
def test_a_kill_leaves_one_mail_in_doubt_which_goes_out_once_more(
    folder: ContestContext, sink: Meddler, tmp_path: Path
) -> None:
    queue(folder, "joe", "jane", "mona")
    flush_and_be_killed(folder, sink, "jane", tmp_path / "go")
    said = [
        knobeln_in(folder.path, "mail").stdout,
        knobeln_in(folder.path, "mail", "show", 2).output,
    ]
    assert [text.count("in doubt") for text in said] == [1, 1]
    assert finish(flush(folder, tmp_path)) == os.EX_OK
    assert sink.copies() == {"joe": 1, "jane": 2, "mona": 1}
    assert len(sink.message_ids()) == 3
    assert states(folder) == {OutboxState.SENT: 3}
    assert "in doubt" not in knobeln_in(folder.path, "mail").stdout


@pytest.mark.slow
def test_a_mail_that_we_are_killed_with_each_time_is_set_aside_and_the_next_goes_on(
    folder: ContestContext, sink: Meddler, tmp_path: Path
) -> None:
    queue(folder, "joe", "jane", "mona")
    for _ in range(MAX_UNFINISHED):
        flush_and_be_killed(folder, sink, "jane", tmp_path / "go")
    assert sink.copies()["jane"] == MAX_UNFINISHED
    assert finish(flush(folder, tmp_path)) == os.EX_OK
    assert sink.copies() == {"joe": 1, "jane": MAX_UNFINISHED, "mona": 1}
    assert len(sink.message_ids()) == 3
    assert states(folder) == {OutboxState.SENT: 2, OutboxState.FAILED: 1}
    assert "mail 2: it was set aside, and may have arrived" in journal(folder)
    assert "set aside" in knobeln_in(folder.path, "status").stdout
    knobeln_in(folder.path, "mail", "retry", 2)
    assert finish(flush(folder, tmp_path)) == os.EX_OK
    assert sink.copies()["jane"] == MAX_UNFINISHED + 1


def journal(folder: ContestContext) -> str:
    with folder.store.read() as tx:
        return "\n".join(line.text for line in contest_state.log(tx, 100, area="error"))


# --- one mail, and all the others -----------------------------------------------------------------
class Posts:
    """The outbox of a contest at times of our choice."""

    def __init__(self, folder: ContestContext) -> None:
        self.folder, self.clock = folder, FixedClock(folder.clock.now() + timedelta(minutes=1))
        transport = transport_of(folder.settings, folder.path)
        self._delivery = Delivery(folder.store, folder.settings, self.clock, transport)

    def deliver(self, minutes: int = 0) -> Delivered:
        """So many minutes later."""
        self.clock.at += timedelta(minutes=minutes)
        return self._delivery.deliver_due()

    def change(self, table: str, change: str, where: str) -> None:
        with closing(sqlite3.connect(self.folder.path / "contest.db")) as database, database:
            database.execute(f"UPDATE {table} SET {change} WHERE {where}")  # noqa: S608


@pytest.fixture
def posts(folder: ContestContext) -> Posts:
    return Posts(folder)


OUR_ERRORS = [
    ("an address that the library cannot send", "\"to\" = 'jö@a.example'"),
    ("a row that cannot be read", "created_at = 'yesterday'"),
]


@pytest.mark.parametrize(
    "change", [change for _, change in OUR_ERRORS], ids=[name for name, _ in OUR_ERRORS]
)
def test_a_mail_that_our_own_code_fails_with_is_set_aside_in_the_end(
    posts: Posts, sink: Meddler, change: str
) -> None:
    queue(posts.folder, "joe", "jane", "mona")
    posts.change("outbox", change, "id = 2")
    assert posts.deliver() == Delivered(sent=2, deferred=1)
    assert sink.copies() == {"joe": 1, "mona": 1}
    assert posts.deliver(minutes=1) == Delivered(deferred=1)
    assert posts.deliver(minutes=2) == Delivered(failed=1)
    assert states(posts.folder) == {OutboxState.SENT: 2, OutboxState.FAILED: 1}
    assert "mail 2: it was set aside" in journal(posts.folder)


def test_of_mails_that_are_begun_together_only_the_damaged_one_is_set_aside(tmp_path: Path) -> None:
    settings = Settings(contest=Contest(address=ROBOT), dates=usual_dates(SystemClock().now()))
    posts = Posts(create_contest(tmp_path / "contest", settings))
    queue(posts.folder, *(f"joe{number}" for number in range(30)))
    posts.change("outbox", "created_at = 'yesterday'", "id = 7")
    done = [posts.deliver(minutes=minutes) for minutes in (0, 1, 2)]
    assert done == [Delivered(sent=29, deferred=1), Delivered(deferred=1), Delivered(failed=1)]
    assert len(list((tmp_path / "contest" / "mail").glob("*/new/*"))) == 29


def test_an_error_of_ours_with_every_mail_fails_none(
    posts: Posts, sink: Meddler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "least", logging.CRITICAL)  # tracebacks take their time
    queue(posts.folder, *(f"joe{number}" for number in range(12)))
    posts.change("outbox", '"to" = "to" || \'ö\'', "true")
    for _ in range(9):
        posts.deliver(minutes=60)
    assert states(posts.folder) == {OutboxState.READY: 12}
    posts.change("outbox", "\"to\" = replace(\"to\", 'ö', '')", "true")
    while posts.deliver(minutes=60) != Delivered():
        pass
    assert sink.copies() == {f"joe{number}": 1 for number in range(12)}


def test_a_relay_whose_name_cannot_be_looked_up_is_no_mails_fault(folder: ContestContext) -> None:
    mail = Mail(delivery=DeliveryKind.SMTP, smarthost=f"{'a' * 70}.example:25")
    settings = folder.settings.model_copy(update={"mail": mail})
    queue(folder, "joe", "jane")
    clock = FixedClock(folder.clock.now())
    delivery = Delivery(folder.store, settings, clock, transport_of(settings, folder.path))
    for _ in range(5):
        assert delivery.deliver_due() == Delivered(deferred=1)
        clock.at += timedelta(minutes=60)
    assert states(folder) == {OutboxState.READY: 2}


@contextmanager
def silent_relay() -> Iterator[int]:
    """The port of one that takes the connection, and then says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_relay_that_says_nothing_costs_one_attempt_and_no_mail(
    folder: ContestContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smtp, "_ANSWER_SECONDS", 0.2)
    with silent_relay() as port:
        mail = Mail(delivery=DeliveryKind.SMTP, smarthost=f"127.0.0.1:{port}")
        settings = folder.settings.model_copy(update={"mail": mail})
        queue(folder, "joe", "jane")
        transport = transport_of(settings, folder.path)
        delivery = Delivery(folder.store, settings, folder.clock, transport)
        assert delivery.deliver_due() == Delivered(deferred=1)
    assert states(folder) == {OutboxState.READY: 2}


def test_a_mail_that_the_relay_falls_silent_at_holds_no_other(
    posts: Posts, sink: Meddler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smtp, "_DATA_ANSWER_SECONDS", 0.2)
    silence = threading.Event()
    sink.does["jane"] = lambda: silence.wait(1.0)
    queue(posts.folder, "joe", "jane", "mona", "anna")
    assert posts.deliver() == Delivered(sent=3, deferred=1)
    assert posts.deliver(minutes=1) == Delivered(deferred=1)
    assert sink.copies() == {"joe": 1, "jane": 2, "mona": 1, "anna": 1}


def test_a_hundred_mails_that_the_relay_defers_hold_no_other(posts: Posts, sink: Meddler) -> None:
    queue(posts.folder, *(f"full{number}" for number in range(150)), "joe")
    assert posts.deliver() == Delivered(deferred=100)
    assert posts.deliver() == Delivered(sent=1, deferred=50)
    assert sink.copies() == {"joe": 1}
