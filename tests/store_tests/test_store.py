"""The database: its schema, its durability, and the rules of its tables."""

import hashlib
import shutil
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default as modern
from functools import partial
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import event, inspect
from sqlalchemy.exc import IntegrityError

from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.errors import GiveUp, StoreBusy
from contest.model import (
    IncomingLetter,
    LetterState,
    Member,
    OutboxState,
    Outgoing,
    Registration,
    TeamState,
)
from store import Store, contest_state, decisions, letters, migrate, outbox, teams
from store import session as session_module
from store.tables import metadata
from tests.support.due_mails import due_mails
from tests.support.servers import wait_for
from tests.support.shared_work import engine_of_the_program

NOW = datetime(1994, 5, 14, 12, tzinfo=UTC)


def new_store(path: Path) -> Store:
    made = Store(f"sqlite:///{path}")
    migrate.upgrade(made)
    with made.write() as tx:
        contest_state.create(tx)
    return made


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path / "contest.db")


@pytest.fixture
def settings() -> Settings:
    return Settings(dates=usual_dates(NOW))


def registration(name: str, address: str) -> Registration:
    return Registration(
        address, (), name, "Somewhere", (Member("Joe Cool", 45, "programmer", "C"),)
    )


def add_team(store: Store, name: str, address: str) -> None:
    with store.write() as tx:
        teams.add(
            tx,
            registration(name, address),
            requested_name=name,
            state=TeamState.ACTIVE,
            auth_digest=name,
            letter_id=None,
            now=NOW,
        )


def contents(store: Store) -> list[str]:
    """Dump the complete database as SQL."""
    store.close()
    path = store.engine.url.database
    assert path
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def test_a_new_database_has_exactly_the_tables_of_the_program(store: Store) -> None:
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        assert set(inspect(connection).get_table_names()) == {*metadata.tables, "alembic_version"}


def test_others_write_while_the_file_is_checked(store: Store) -> None:
    """Every 1,000 steps of SQLite's check another writer adds a letter, and does not wait for
    it."""
    with store.write() as tx:
        for number in range(200):
            letters.add(
                tx, raw=bytes([number]) * 50_000, sender="", recipients=(), channel="test", now=NOW
            )
    store.close()
    other, commits, waited = Store(store.url), 0, 0.0

    def write() -> int:
        nonlocal commits, waited
        begin = time.monotonic()
        with other.write() as tx:
            letters.add(
                tx,
                raw=f"during {commits}".encode(),
                sender="",
                recipients=(),
                channel="test",
                now=NOW,
            )
        waited = max(waited, time.monotonic() - begin)
        commits += 1
        return 0

    event.listen(
        store.engine, "connect", lambda found, _record: found.set_progress_handler(write, 1_000)
    )
    store.check_integrity()
    store.close()
    other.close()
    assert commits > 5
    assert waited < 5


def test_a_commit_is_on_the_disk_when_it_returns(store: Store) -> None:
    with engine_of_the_program(store.url).connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == 2  # FULL
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar_one() == 1


def test_upgrading_twice_changes_nothing(store: Store) -> None:
    add_team(store, "lords", "lords@teams.example")
    before = contents(store)
    migrate.upgrade(store)
    assert contents(store) == before
    migrate.check(store)


def test_the_newest_revision_is_that_of_alembic(store: Store) -> None:
    with store.read() as connection:
        assert migrate.newest() == MigrationContext.configure(connection).get_current_revision()


def test_an_empty_database_is_refused_with_advice(tmp_path: Path) -> None:
    with pytest.raises(GiveUp, match="knobeln upgrade"):
        migrate.check(Store(f"sqlite:///{tmp_path / 'empty.db'}"))


def test_a_database_whose_driver_is_missing_is_refused_with_advice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)  # `import psycopg` fails now
    with pytest.raises(
        GiveUp, match=r"package psycopg, which is not installed.*make setup-postgresql"
    ):
        Store("postgresql+psycopg://user@host/database")


def test_a_database_of_a_newer_version_is_refused(store: Store) -> None:
    with store.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(GiveUp, match="newer"):
        migrate.check(store)


def test_a_transaction_that_fails_leaves_nothing(store: Store) -> None:
    def broken() -> None:
        with store.write() as tx:
            contest_state.finish(tx, NOW)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken()
    with store.read() as tx:
        assert contest_state.state(tx).finished_at is None


def test_a_writer_finds_the_short_moments_between_the_transactions_of_another_process(
    store: Store,
) -> None:
    """SQLite's own wait sleeps 1, 2, 5, 10 ... 100 ms, and would miss most of them."""
    ended = threading.Event()
    turns: list[int] = [0]

    def write_all_the_time() -> None:
        with closing(
            sqlite3.connect(store.url.removeprefix("sqlite:///"), isolation_level=None)
        ) as other:
            while not ended.is_set():
                other.execute("BEGIN IMMEDIATE")
                time.sleep(0.02)
                other.execute("COMMIT")
                turns[0] += 1
                time.sleep(0.005)

    thread = threading.Thread(target=write_all_the_time)
    thread.start()
    try:
        wait_for(lambda: turns[0] > 0)
        before = turns[0]
        for _ in range(20):
            with store.write() as tx:
                contest_state.note(tx, "test", "a line", NOW)
            time.sleep(0.006)  # the other one has begun again
        taken = turns[0] - before
    finally:
        ended.set()
        thread.join()
    assert taken <= 40


def test_a_locked_database_means_try_again(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "_BUSY_TIMEOUT", "busy_timeout=0")
    blocker = sqlite3.connect(tmp_path / "contest.db")
    blocker.execute("BEGIN IMMEDIATE")
    impatient = Store(store.url)
    with pytest.raises(StoreBusy), impatient.write() as tx:
        contest_state.create(tx)
    blocker.rollback()


def test_a_damaged_database_is_found(store: Store, tmp_path: Path) -> None:
    with store.write() as tx:
        for number in range(200):
            letters.add(
                tx, raw=b"%d" % number * 500, sender="", recipients=(), channel="t", now=NOW
            )
    store.check_integrity()
    store.close()
    file = tmp_path / "contest.db"
    sqlite3.connect(file).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw = bytearray(file.read_bytes())
    raw[-40960:-8192] = b"\xff" * (40960 - 8192)
    file.write_bytes(raw)
    with pytest.raises(GiveUp, match="damaged"):
        Store(store.url).check_integrity()


def test_letters_that_come_together_are_kept_in_their_order_and_once(store: Store) -> None:
    raws = (b"b", b"a", b"b", b"c")
    with store.write() as tx:
        letters.add(tx, raw=b"c", sender="", recipients=(), channel="t", now=NOW)
        letters.add_all(tx, [IncomingLetter(raw, "", ("robot",)) for raw in raws], "t", NOW)
    with store.read() as tx:
        kept = [letters.get(tx, number) for number in range(1, 5)]
    assert [letter.raw if letter else None for letter in kept] == [b"c", b"b", b"a", None]


def test_a_copy_is_sought_among_letters_with_its_message_id_only(store: Store) -> None:
    steps: list[int] = []
    with store.write() as tx:
        driver = tx.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        for count in (10, 1_000):
            raws = [b"%d %d" % (count, number) for number in range(count)]
            letters.add_all(tx, [IncomingLetter(raw, "", ()) for raw in raws], "t", NOW)
            while turn := letters.next_to_handle(tx, NOW, 1):
                message_id = f"<{turn[0]}@a.example>"
                letters.finish(tx, turn[0], LetterState.HANDLED, "", message_id, "said")
            driver.set_progress_handler(partial(steps.append, count), 1)
            found = letters.handled_copy(tx, "<5@a.example>", "said")
            driver.set_progress_handler(None, 0)
            assert found == 5
            assert letters.handled_copy(tx, "<5@a.example>", "said otherwise") is None
    assert 0 < steps.count(1_000) <= steps.count(10)  # some versions take more for the first one


def test_many_writers_at_once_lose_nothing(store: Store) -> None:
    def write(worker: int) -> None:
        for number in range(20):
            with store.write() as tx:
                raw = b"%d %d" % (worker, number)
                letters.add(tx, raw=raw, sender="", recipients=(), channel="t", now=NOW)

    threads = [threading.Thread(target=write, args=(worker,)) for worker in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.read() as tx:
        assert letters.count_by_state(tx) == {LetterState.NEW: 120}


@pytest.mark.parametrize(
    ("name", "address"),
    [
        pytest.param("HEAVY_LORDS", "other@b.example", id="names that differ in case only"),
        pytest.param("other", "Joe@A.example", id="addresses that differ in case only"),
    ],
)
def test_names_and_addresses_are_unique_whatever_their_case(
    store: Store, name: str, address: str
) -> None:
    add_team(store, "heavy_lords", "joe@a.example")
    with pytest.raises(IntegrityError):
        add_team(store, name, address)


def outgoing(key: str, **changes: object) -> Outgoing:
    facts = {
        "key": key,
        "kind": "GRR",
        "to": "a@b.example",
        "subject": "hello",
        "body": "x\n",
    } | changes
    return Outgoing(**facts)


def test_a_mail_with_a_known_key_is_not_queued_again(store: Store, settings: Settings) -> None:
    with store.write() as tx:
        assert outbox.put(tx, outgoing("round/1"), settings, NOW)
        assert not outbox.put(tx, outgoing("round/1"), settings, NOW)
        assert outbox.count_by_state(tx) == {OutboxState.READY: 1}


@pytest.mark.parametrize("key", ["contest/LAP/x", "again/1/round/2/GRR/x", "ladder/3/x"])
def test_reports_are_held_and_released_whatever_their_keys(
    store: Store, settings: Settings, key: str
) -> None:
    with store.write() as tx:
        decisions.hold_reports(tx, NOW)
        outbox.put(tx, outgoing(key, is_report=True, round=2), settings, NOW)
        outbox.put(tx, outgoing("letter/1/round/help"), settings, NOW)
        assert outbox.count_by_state(tx) == {OutboxState.HELD: 1, OutboxState.READY: 1}
        assert outbox.rounds_with_held_reports(tx) == {2}
        assert len(outbox.release(tx, NOW, reports=True)) == 1
        assert outbox.count_by_state(tx) == {OutboxState.READY: 2}


@pytest.mark.parametrize("subject", ["a\nBcc: evil@x.example", "a\r\nX: y"])
def test_a_subject_with_a_line_break_never_becomes_a_header(
    store: Store, settings: Settings, subject: str
) -> None:
    with pytest.raises(ValueError, match="linefeed"), store.write() as tx:
        outbox.put(tx, outgoing("k", subject=subject), settings, NOW)


@pytest.mark.parametrize("letter", ["a", "ä"])
def test_no_line_is_too_long_for_a_relay(store: Store, settings: Settings, letter: str) -> None:
    body = f"A line of gcc's:\n{letter * 5_000}\n"
    with store.write() as tx:
        outbox.put(tx, outgoing("k", body=body), settings, NOW)
        raw = due_mails(tx, NOW, 1)[0].raw
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    assert message_from_bytes(raw, policy=modern).get_content().replace("\r\n", "\n") == body


@pytest.fixture
def message_id(settings: Settings) -> Callable[[Store, datetime], str]:
    """Queue the same mail in a contest and return its Message-ID."""

    def queued(store: Store, now: datetime) -> str:
        with store.write() as tx:
            outbox.put(tx, outgoing("round/1"), settings, now)
            return due_mails(tx, now, 1)[0].message_id

    return queued


def test_the_message_id_of_a_mail_depends_on_its_key_alone(
    store: Store, tmp_path: Path, message_id: Callable[[Store, datetime], str]
) -> None:
    """A restored contest queues the mail again, at another time."""
    store.close()
    shutil.copy(tmp_path / "contest.db", tmp_path / "restored.db")
    restored = Store(f"sqlite:///{tmp_path / 'restored.db'}")
    assert message_id(store, NOW) == message_id(restored, NOW.replace(hour=13))


def test_no_two_contests_and_no_stranger_make_the_same_message_id(
    store: Store, tmp_path: Path, message_id: Callable[[Store, datetime], str], settings: Settings
) -> None:
    other = new_store(tmp_path / "other.db")
    computed = hashlib.sha256(
        f"{settings.contest.address}/a@b.example/round/1".encode()
    ).hexdigest()[:32]
    ids = {message_id(store, NOW), message_id(other, NOW)}
    assert len(ids) == 2
    assert computed not in "".join(ids)
