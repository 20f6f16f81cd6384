"""The database, transactions, and rows: SQLite (WAL, synchronous FULL), or PostgreSQL by URL."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from copy import copy
from operator import itemgetter
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from sqlalchemy import (
    Connection,
    Engine,
    Row,
    Table,
    create_engine,
    event,
    func,
    insert,
    make_url,
    select,
    text,
)
from sqlalchemy.exc import DatabaseError, OperationalError

from contest.config.remains import DATABASE
from contest.errors import GiveUp, StoreBusy
from contest.model.as_json import adapter, json_text
from store.tables import tournaments

Transaction = Connection
T = TypeVar("T")

FILE_NAME = DATABASE
# Without IMMEDIATE, a transaction that reads and then writes fails if another one wrote in between.
_BEGIN_TO_WRITE = "BEGIN IMMEDIATE"
_BUSY_SECONDS = 30
_BUSY_TIMEOUT = f"busy_timeout={_BUSY_SECONDS * 1000}"
_SHORT_WAITS = 200
_SHORT_WAIT_SECONDS = 0.001
_POLL_SECONDS = 0.05  # between two attempts to get a lock
_WRITERS_LOCK = 19940514  # number of our advisory lock; nobody else may use it in this database


def url_of(folder: Path) -> str:
    """Return the URL of a contest folder's database: `KNOBELN_DATABASE`, or else the SQLite file in
    the folder."""
    return os.environ.get("KNOBELN_DATABASE") or f"sqlite:///{(folder / FILE_NAME).resolve()}"


class Held:
    """Whether a lock of `Store.only_one` was taken; as a bool, it says so."""

    def __init__(self, taken: bool, connection: Connection | None = None) -> None:
        """`connection`: the lock ends with it."""
        self._taken = taken
        self._connection = connection

    def __bool__(self) -> bool:
        return self._taken

    def is_lost(self) -> bool:
        """Return whether the database has released the lock: it was restarted, or our connection to
        it broke."""
        if not self._taken or self._connection is None:
            return False
        with suppress(DatabaseError):
            if not self._connection.invalidated:
                self._connection.exec_driver_sql("SELECT 1")
        return self._connection.invalidated


class Store:
    """The database of one contest. The functions of this package take a transaction of `write` or
    `read`."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = _engine(url)
        self._is_sqlite = self.engine.dialect.name == "sqlite"
        self._read_only = self.engine.execution_options(knobeln_read_only=True)
        if self.engine.dialect.name == "postgresql":
            self._read_only = self._read_only.execution_options(isolation_level="REPEATABLE READ")
        self._writers = Lock()

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """A transaction that may write; it commits completely or not at all.

        Raises StoreBusy if the database is locked, full or unreachable, GiveUp if it is damaged.
        """
        # SQLite makes a second writer sleep, up to 0.1 s at a time; with this lock our own threads
        # need not.
        if not self._writers.acquire(timeout=_BUSY_SECONDS):
            raise StoreBusy("the database does not answer: another part of this program is writing")
        try:
            with self._transaction(self.engine) as tx:
                yield tx
        finally:
            self._writers.release()

    @contextmanager
    def only_one(
        self, what: str, *, shared: bool = False, wait_seconds: float = 0.0
    ) -> Iterator[Held]:
        """Hold the database's lock for `what`; false when another process holds it for so long.

        `shared`: others may hold it shared, too. PostgreSQL releases it when our connection ends.
        SQLite has no such locks, and it is always true: its processes are on one computer, with
        locks in the folder.
        """
        if self._is_sqlite:
            yield Held(True)
            return
        kind = "_shared" if shared else ""
        key = _key_of(what)
        # Without a transaction: a lock may be held for days.
        connections = self._read_only.execution_options(isolation_level="AUTOCOMMIT")
        with ExitStack() as stack:
            try:
                connection = stack.enter_context(connections.connect())
                end = time.monotonic() + wait_seconds
                query = f"SELECT pg_try_advisory_lock{kind}({key})"
                while not (taken := connection.exec_driver_sql(query).scalar_one()):
                    if time.monotonic() >= end:
                        break
                    time.sleep(_POLL_SECONDS)
            except OperationalError as error:
                raise StoreBusy(f"the database does not answer: {error.orig}") from error
            try:
                yield Held(bool(taken), connection)
            finally:
                try:
                    if taken and not connection.invalidated:
                        connection.exec_driver_sql(f"SELECT pg_advisory_unlock{kind}({key})")
                except DatabaseError:
                    # the lock ends with the connection, which nobody must use any more
                    connection.invalidate()

    def is_held(self, what: str) -> bool:
        """Return whether a process holds this lock of `only_one`, on whatever computer. SQLite:
        always False."""
        if self._is_sqlite:
            return False
        key = _key_of(what)
        # The columns and the meaning of objsubid: PostgreSQL, "The pg_locks view".
        query = text(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND"
            " classid::bigint = :high AND objid::bigint = :low"
        )
        with self.read() as tx:
            return bool(
                tx.execute(query, {"high": key >> 32, "low": key & 0xFFFFFFFF}).scalar_one()
            )

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """A transaction that only reads, with a consistent view; it does not wait for writers."""
        with self._transaction(self._read_only) as tx:
            yield tx

    @contextmanager
    def _transaction(self, engine: Engine) -> Iterator[Transaction]:
        with _own_errors(), engine.begin() as tx:
            yield tx

    def of_tournament(self, number: int) -> Store:
        """Return the same database, whose transactions are about this tournament instead of the
        newest."""
        store = copy(self)
        for name in ("engine", "_read_only"):
            setattr(store, name, getattr(self, name).execution_options(**{_TOURNAMENT: number}))
        return store

    def check_integrity(self) -> None:
        """Raises GiveUp if SQLite finds its file damaged. It only reads, so nobody has to wait
        meanwhile."""
        if not self._is_sqlite:
            return
        try:
            with self._read_only.connect() as connection:
                verdict = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
        except DatabaseError as error:
            verdict = error.orig
        if verdict != "ok":
            raise _damaged(verdict)

    def wipe(self) -> None:
        """Let what was deleted leave SQLite's files, too. PostgreSQL does that by itself, in
        time."""
        if not self._is_sqlite:
            return
        with closing(self.engine.raw_connection()) as connection:  # it is in no transaction
            for command in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                connection.cursor().execute(command)

    def fold(self) -> None:
        """Bring everything into SQLite's one file, so that it can be moved without its -wal.

        Raises StoreBusy if the disk is full, or somebody else uses the file.
        """
        with closing(self.engine.raw_connection()) as connection:  # it is in no transaction
            try:
                (mode,) = connection.cursor().execute("PRAGMA journal_mode=DELETE").fetchone()
            except sqlite3.DatabaseError as error:
                raise StoreBusy(f"the database does not answer: {error}") from error
        if mode != "delete":
            raise StoreBusy("the database does not answer: somebody else uses it")

    def close(self) -> None:
        self.engine.dispose()


@contextmanager
def savepoint(tx: Transaction) -> Iterator[None]:
    """A part of the transaction, which is undone alone if it raises. Raises as `Store.write`."""
    with _own_errors(), tx.begin_nested():
        yield


@contextmanager
def _own_errors() -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        raise StoreBusy(f"the database does not answer: {error.orig}") from error
    except DatabaseError as error:
        if type(error) is DatabaseError:  # subclasses are other errors, such as a broken constraint
            raise _damaged(error.orig) from error
        raise


def _damaged(verdict: object) -> GiveUp:
    return GiveUp(
        f"the database is damaged ({verdict}): stop, and `knobeln restore` the last good backup"
    )


def _engine(url: str) -> Engine:
    if not url.startswith("sqlite"):
        try:
            engine = create_engine(url, json_serializer=json_text)
        except ModuleNotFoundError as error:
            raise GiveUp(
                f"the database of KNOBELN_DATABASE needs the Python package {error.name}, which is"
                " not installed",
                hint="for PostgreSQL: `make setup-postgresql`",
            ) from error
        if engine.dialect.name == "postgresql":
            event.listen(engine, "begin", _begin_on_postgresql)
        return engine
    _make_private(url)
    engine = create_engine(url, connect_args={"timeout": _BUSY_SECONDS}, json_serializer=json_text)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _key_of(lock: str) -> int:
    """Return the number of an advisory lock; positive, and too large to be `_WRITERS_LOCK`."""
    digest = hashlib.sha256(lock.encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1 | 1 << 62


def _begin_on_postgresql(connection: Connection) -> None:
    # One writer at a time, as with SQLite, so what a transaction has read is still true when it
    # writes.
    if not _is_read_only(connection):
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITERS_LOCK})")


def _is_read_only(connection: Connection) -> bool:
    return bool(connection.get_execution_options().get("knobeln_read_only", False))


def _make_private(url: str) -> None:
    """Create a new file that only its owner can read: it will hold the seed and the teams'
    secrets."""
    path = make_url(url).database
    if path and path != ":memory:" and not Path(path).exists():
        with suppress(OSError):  # SQLite has the better error message
            Path(path).touch(mode=0o600)


def _prepare(connection: Any, _record: object) -> None:
    # We send BEGIN ourselves: the driver's comes too late and is never IMMEDIATE.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", _BUSY_TIMEOUT):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    if _is_read_only(connection):
        connection.exec_driver_sql("BEGIN")
    elif not _begin_soon(connection.connection.dbapi_connection):
        connection.exec_driver_sql(_BEGIN_TO_WRITE)


def _begin_soon(connection: Any) -> bool:
    """Begin to write as soon as no other process does; False if that takes too long.

    SQLite's own wait sleeps ever longer, up to 0.1 s. So it seldom finds the moment between two
    transactions of a process that writes one after the other.
    """
    connection.execute("PRAGMA busy_timeout=0")
    try:
        for _ in range(_SHORT_WAITS):
            try:
                connection.execute(_BEGIN_TO_WRITE)
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                    return False  # the next attempt says why
                time.sleep(_SHORT_WAIT_SECONDS)
            else:
                return True
        return False
    finally:
        connection.execute(f"PRAGMA {_BUSY_TIMEOUT}")


# --- tournaments ---
_TOURNAMENT = "knobeln_tournament"  # the execution option of a connection that is about one
_NEWEST = select(func.max(tournaments.c.id))


def tournament_of(tx: Transaction) -> int:
    """Return the number of the tournament that the transaction is about; of `Store.of_tournament`,
    or the newest."""
    known: int | None = tx.get_execution_options().get(_TOURNAMENT)
    return known or set_tournament(tx, tx.execute(_NEWEST).scalar_one())


def set_tournament(tx: Transaction, number: int) -> int:
    """From now on the transaction is about this tournament, which it has just made or found."""
    tx.execution_options(**{_TOURNAMENT: number})
    return number


# --- rows ---
def record(kind: type[T], row: Row[Any], **others: object) -> T:
    """Return the record whose fields are columns of the row, by name. `others`: fields that are no
    columns."""
    return adapter(kind).validate_python({**row._mapping, **others})


def insert_many(
    tx: Transaction, table: Table, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """Insert rows of these columns as the driver takes them: JSON is text, and no column is a
    `Moment`.

    SQLAlchemy would convert each value of each row, which takes longer than to insert it.
    """
    statement = insert(table).compile(dialect=tx.dialect, column_keys=columns)
    if statement.positiontup is None:
        parameters: Sequence[object] = [dict(zip(columns, row, strict=True)) for row in rows]
    else:
        parameters = list(map(itemgetter(*map(columns.index, statement.positiontup)), rows))
    if parameters:
        tx.exec_driver_sql(str(statement), parameters)
