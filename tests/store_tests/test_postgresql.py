"""The same contest on a real PostgreSQL, where one is installed."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.errors import StoreBusy
from contest.model import IncomingLetter, LetterState, OutboxState, Outgoing
from contest.schema.sections import Contest, DeliveryKind, Mail
from mailserver.delivery.deliver import Delivery
from mailserver.delivery.transports import transport_of
from mailserver.intake.accept import accept, accept_all
from store import Store, contest_state, letters, migrate, outbox, submissions, teams
from store.tables import metadata
from tests.support.clocks import FixedClock
from tests.support.postgresql import PostgreSQL, drop, execute
from tests.support.relays import Sink, relay

NOW = datetime(1994, 5, 14, 12, tzinfo=UTC)
pytestmark = [pytest.mark.slow, pytest.mark.night]


@pytest.fixture
def store(postgresql: PostgreSQL) -> Iterator[Store]:
    made = Store(postgresql.new_database())
    migrate.upgrade(made)
    yield made
    made.close()
    drop(made.url)


def test_a_new_database_has_our_tables_there_too(store: Store) -> None:
    migrate.check(store)
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_who_reads_and_then_writes_is_alone_there_too(store: Store) -> None:
    """A new version's number is the last one plus 1: without the lock, two versions would get the
    same."""
    from tests.support.contest_field import add_team

    with store.write() as tx:
        team_id = add_team(tx, "heavy_lords", "").id
        letter_id = letters.add(tx, raw=b"x", sender="", recipients=(), channel="t", now=NOW)
        letters.finish(tx, letter_id, LetterState.HANDLED, "", None)

    def submit() -> None:
        for _ in range(10):
            with store.write() as tx:
                submissions.add(tx, team_id, letter_id, {"program.c": b"main () {}"}, NOW)

    threads = [threading.Thread(target=submit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.read() as tx:
        assert [v.submission.number for v in submissions.versions(tx, team_id)] == list(
            range(1, 41)
        )
        assert teams.count(tx) == 1


ROBOT = "knobeln@contest.example"


def arrival(number: int) -> IncomingLetter:
    return IncomingLetter(b"Subject: %d\r\n\r\n" % number, "joe@club.example", (ROBOT,))


def test_the_same_letters_at_the_same_time_on_several_computers_are_kept_once(store: Store) -> None:
    """Each computer gets them in another order."""
    stores = [Store(store.url) for _ in range(4)]
    start = threading.Barrier(len(stores))

    def take(number: int) -> None:
        start.wait()
        for batch in range(20):
            arrivals = [arrival(batch * 10 + each) for each in range(10)]
            for each in (arrivals[number], arrivals[number]):
                accept(stores[number], each.raw, each.sender, each.recipients, "receive", NOW)
            accept_all(stores[number], arrivals[number:] + arrivals[:number], "smtp", NOW)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(len(stores))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in stores:
        each.close()
    with store.read() as tx:
        assert letters.count_by_state(tx) == {LetterState.NEW: 200}


def test_three_processes_deliver_at_once_and_each_mail_goes_out_once(
    store: Store, tmp_path: Path
) -> None:
    sink = Sink()
    start = threading.Barrier(3)
    with relay(sink) as port:
        mail = Mail(delivery=DeliveryKind.SMTP, smarthost=f"127.0.0.1:{port}")
        robot = Settings(contest=Contest(address=ROBOT), dates=usual_dates(NOW), mail=mail)
        with store.write() as tx:
            contest_state.create(tx)
            for number in range(30):
                to = f"joe{number}@club.example"
                outbox.put(
                    tx, Outgoing(f"key/{number}", "GRR", to, "ranking", "Hello\n"), robot, NOW
                )

        def deliver() -> None:
            own = Store(store.url)
            start.wait()
            Delivery(own, robot, FixedClock(NOW), transport_of(robot, tmp_path)).deliver_due()
            own.close()

        threads = [threading.Thread(target=deliver) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(to for _, to, _ in sink.taken) == sorted(
        f"joe{n}@club.example" for n in range(30)
    )
    with store.read() as tx:
        assert outbox.count_by_state(tx) == {OutboxState.SENT: 30}


def test_a_reader_sees_one_moment(store: Store) -> None:
    with store.write() as tx:
        contest_state.create(tx)
    with store.read() as reading:
        assert letters.count_by_state(reading) == {}
        accept_all(store, [arrival(1)], "smtp", NOW)
        assert letters.count_by_state(reading) == {}


TO_THE_FIRST_RELEASE = (
    *(
        f"ALTER TABLE {table} ALTER COLUMN {column} TYPE VARCHAR(64)"
        for table, column in (
            ("submissions", "program"),
            ("sent_files", "name"),
            ("practices", "program"),
            ("practice_files", "name"),
        )
    ),
    "DROP TABLE begun",
    "ALTER TABLE letters DROP COLUMN is_large, DROP COLUMN content",  # and their indexes
    "CREATE INDEX ix_letters_state_id ON letters (state, id)",
    "ALTER TABLE outbox DROP COLUMN sending_since, DROP COLUMN unfinished",
    "UPDATE alembic_version SET version_num = '0001'",
)


def test_a_contest_of_the_first_release_gets_what_new_ones_have_there_too(store: Store) -> None:
    with store.write() as tx:
        for statement in TO_THE_FIRST_RELEASE:
            tx.exec_driver_sql(statement)
    migrate.upgrade(store)
    migrate.check(store)
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


_END_ALL_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE pid != pg_backend_pid() AND datname = current_database()"
)


class BreaksConnections(Sink):
    """Ends all connections to the database once, when it has taken a mail."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url
        self._left = 1

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        answer = await super().handle_DATA(server, session, envelope)
        if self._left:
            self._left -= 1
            execute(self._url, _END_ALL_OTHERS)
        return answer


def test_a_mail_is_marked_when_the_database_is_back(store: Store, tmp_path: Path) -> None:
    sink = BreaksConnections(store.url)
    with relay(sink) as port:
        mail = Mail(delivery=DeliveryKind.SMTP, smarthost=f"127.0.0.1:{port}")
        robot = Settings(contest=Contest(address=ROBOT), dates=usual_dates(NOW), mail=mail)
        with store.write() as tx:
            contest_state.create(tx)
            for name in ("joe", "jane"):
                outgoing = Outgoing(
                    f"key/{name}", "GRR", f"{name}@club.example", "ranking", "Hello\n"
                )
                outbox.put(tx, outgoing, robot, NOW)
        delivery = Delivery(store, robot, FixedClock(NOW), transport_of(robot, tmp_path))
        with pytest.raises(StoreBusy):
            delivery.deliver_due()
        assert delivery.is_behind
        while delivery.is_behind or outbox_states(store) != {OutboxState.SENT: 2}:
            with suppress(StoreBusy):
                delivery.deliver_due()
    assert [to for _, to, _ in sink.taken] == ["joe@club.example", "jane@club.example"]


def outbox_states(store: Store) -> dict[OutboxState, int]:
    with store.read() as tx:
        return outbox.count_by_state(tx)
