"""Each lock of the outbox keeps two processes from sending one mail, and tests of others would not
notice that it is missing.

The relay is a real one, and the second process comes while it has the first one's mail.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from contest.errors import NotNow, StoreBusy
from contest.model import Outgoing
from knobeln.context import ContestContext
from knobeln.server.parts import SERVE, Part, PartsAtWork
from knobeln.services import SoleDelivery
from mailserver.delivery.deliver import Delivered, Delivery
from mailserver.delivery.transports import transport_of
from store import outbox
from store.session import Held, Store, url_of
from tests.support.relays import Sink, relay, sending_contest


class DatabaseLocks(Store):
    """A store whose database has locks, as PostgreSQL has; `held` is what all of them hold."""

    def __init__(self, folder: Path, held: set[str]) -> None:
        super().__init__(url_of(folder))
        self._held = held

    @contextmanager
    def only_one(
        self, what: str, *, shared: bool = False, wait_seconds: float = 0.0
    ) -> Iterator[Held]:
        if what in self._held:
            yield Held(False)
            return
        self._held.add(what)
        try:
            yield Held(True)
        finally:
            self._held.remove(what)


class Relay(Sink):
    """Does something when it has taken a mail to somebody, before it says so."""

    def __init__(self) -> None:
        super().__init__()
        self.does: dict[str, Callable[[], object]] = {}

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        answer = await super().handle_DATA(server, session, envelope)
        to = str(envelope.rcpt_tos[0]).partition("@")[0]
        await asyncio.to_thread(self.does.get(to, lambda: None))
        return answer

    def readers(self) -> list[str]:
        return [to.partition("@")[0] for _, to, _ in self.taken]


@pytest.fixture
def sink() -> Relay:
    return Relay()


@pytest.fixture
def folder(
    sink: Relay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ContestContext]:
    """A contest with two mails to send, which waits for no lock."""
    with relay(sink) as port, sending_contest(tmp_path / "contest", port, monkeypatch) as made:
        with made.store.write() as tx:
            for name in ("joe", "jane"):
                letter = Outgoing(f"key/{name}", "GRR", f"{name}@a.example", "ranking", "Hello\n")
                outbox.put(tx, letter, made.settings, made.clock.now())
        yield made


def delivery_on_another_host(folder: ContestContext, held: set[str]) -> Delivery:
    transport = transport_of(folder.settings, folder.path)
    return Delivery(DatabaseLocks(folder.path, held), folder.settings, folder.clock, transport)


def test_two_hosts_send_a_mail_once(folder: ContestContext, sink: Relay) -> None:
    held: set[str] = set()
    one, other = (delivery_on_another_host(folder, held) for _ in range(2))
    sink.does["joe"] = other.deliver_due
    one.deliver_due()
    assert sink.readers() == ["joe", "jane"]
    assert held == set()


def test_what_was_sent_and_could_not_be_marked_is_locked_until_it_is(
    folder: ContestContext, sink: Relay
) -> None:
    held: set[str] = set()
    one, other = (delivery_on_another_host(folder, held) for _ in range(2))
    with closing(sqlite3.connect(folder.path / "contest.db", check_same_thread=False)) as writer:
        sink.does["joe"] = lambda: writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy):
            one.deliver_due()
    assert other.deliver_due() == Delivered()
    assert sink.readers() == ["joe"]
    sink.does.clear()
    assert one.deliver_due() == Delivered(sent=1)
    assert sink.readers() == ["joe", "jane"]
    assert held == set()


def test_two_processes_of_a_folder_send_a_mail_once(folder: ContestContext, sink: Relay) -> None:
    one, other = (
        SoleDelivery(folder, transport_of(folder.settings, folder.path)) for _ in range(2)
    )
    came: list[Delivered | None] = []
    sink.does["joe"] = lambda: came.append(other.deliver())
    assert one.deliver() == Delivered(sent=2)
    assert came == [None]
    assert sink.readers() == ["joe", "jane"]
    assert other.deliver() == Delivered()


def test_who_has_read_a_mail_before_another_one_began_it_does_not_begin_it(
    folder: ContestContext,
) -> None:
    now = folder.clock.now()
    with folder.store.write() as tx:
        mails = outbox.due(tx, now, 10)
        assert outbox.begin(tx, mails[:1], now) == mails[:1]
        assert outbox.begin(tx, mails, now) == mails[1:]


@pytest.mark.parametrize("part", Part)
def test_a_part_of_the_server_is_done_once_but_compiling(
    folder: ContestContext, part: Part
) -> None:
    with PartsAtWork(folder, [part]):
        if part is Part.COMPILE:
            with PartsAtWork(folder, [part]):
                return
        with pytest.raises(NotNow, match=f"with its part `{part}`"), PartsAtWork(folder, [part]):
            raise AssertionError("it works twice")


def test_no_part_works_while_a_backup_is_restored(folder: ContestContext) -> None:
    with (
        folder.only_one(SERVE),
        pytest.raises(NotNow, match="restore"),
        PartsAtWork(folder, [Part.DELIVER]),
    ):
        raise AssertionError("it works beside it")
