"""Copy a contest's database while it is in use, and restore a copy.

The copy is the database as it was at one moment, and no process has to wait: SQLite's online backup makes it,
or PostgreSQL's `pg_dump`.

After a copy was made, mails have gone out and letters have arrived. If the database that the copy replaces
can still be read, we take over its letters, and do not send again the mails that it has sent. Otherwise we
cannot know them, and all mails stop until the organizer lets them go on.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import make_url

from contest.errors import GiveUp, KnobelnError, StoreBusy
from contest.fsync import sync_folder
from contest.plurals import plural
from contest.scratch import scratch_folder
from contest.store import contest_state, ledger, letters, migrate, outbox
from contest.store.copying import copy_contest
from contest.store.session import FILE_NAME, Held, Store, Transaction
from contest.store.tables import metadata
from contest.subprocesses import postgresql

STOPPED = "a backup was restored, and nobody knows which mails have gone out since it was made"
_INTERRUPTED = "a restore was interrupted, and nobody knows which mails have gone out since the backup"
DUMP_NAME = "contest.dump"
_DRAFT = f"{FILE_NAME}.restoring"
_PARTS = ("-wal", "-shm")


class _Since(NamedTuple):
    """What happened since the backup: letters that arrived, and mails that were sent."""

    letters: int
    sent: int


@dataclass(frozen=True)
class Restored:
    """What happened since the backup; None if the old database cannot be read."""

    letters: int | None  # that arrived
    sent: int | None  # mails
    kept_in: Path | None  # the folder of the old database


def member_of(url: str) -> str:
    """The name of the database in a backup. Raises GiveUp unless it is SQLite's file or PostgreSQL's."""
    kind = make_url(url).get_backend_name()
    if kind == "sqlite":
        return FILE_NAME
    if kind == "postgresql":
        return DUMP_NAME
    raise GiveUp(f"there is no backup of databases of this kind: {kind}")


@contextmanager
def only_one(url: str, what: str) -> Iterator[Held]:
    """Hold the lock of a server's database for `what`, as `Store.only_one`; its contest may be missing."""
    if member_of(url) == FILE_NAME:
        yield Held(True)
        return
    store = Store(url)
    try:
        with store.only_one(what) as alone:
            yield alone
    finally:
        store.close()


def copy(url: str, to: Path) -> None:
    """Copy the database into a new file and check the copy.

    Raises StoreBusy if it is locked or the disk is full, GiveUp if it cannot be copied.
    """
    with suppress(FileNotFoundError):
        to.unlink()
    os.close(os.open(to, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        if member_of(url) == FILE_NAME:
            _copy_file(_file_of(url), to)
        else:
            postgresql.dump(_connection(url), to)
            _version_in(to)
    except KnobelnError:
        to.unlink(missing_ok=True)
        raise


def _copy_file(source: Path, to: Path) -> None:
    try:
        with closing(sqlite3.connect(source)) as there, closing(sqlite3.connect(to)) as here:
            there.backup(here)
            here.execute("PRAGMA journal_mode=DELETE")  # so that the copy is one file
            verdict = here.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise StoreBusy(f"the database cannot be copied: {error}") from error
    if verdict != "ok":
        raise GiveUp(
            f"the database is damaged ({verdict}), and so would be its copy", hint="take an older backup"
        )


def put_back(folder: Path, url: str, copied: Path, now: datetime) -> Restored:
    """Make this copy the contest's database.

    The old database is kept in a folder of its own in the contest's folder. No other process may use it
    meanwhile. If this is killed at any point, it can be repeated. Raises GiveUp if the copy is not a
    contest's database, SchemaMismatch if it is too new.
    """
    if member_of(url) == FILE_NAME:
        return _put_file_back(folder, copied, now)
    return _put_dump_back(folder, url, copied, now)


# --- SQLite ------------------------------------------------------------------------------------------------
def _file_of(url: str) -> Path:
    return Path(make_url(url).database or "")


def _put_file_back(folder: Path, copied: Path, now: datetime) -> Restored:
    draft, current = folder / _DRAFT, folder / FILE_NAME
    os.replace(copied, draft)
    store = Store(f"sqlite:///{draft}")
    try:
        store.check_integrity()
        if not migrate.version(store):
            raise GiveUp("the backup holds a database, but not one of knobeln")
        migrate.upgrade(store)
        since = _update_from_old(store, current, now)
    except BaseException:
        store.close()
        _remove(draft)
        raise
    store.close()
    kept_in = _put_aside(current, now)
    os.replace(draft, current)
    sync_folder(folder)
    return Restored(since and since.letters, since and since.sent, kept_in)


def _put_aside(current: Path, now: datetime) -> Path | None:
    """Move the old database away, with its -wal and -shm files, which must not meet another database."""
    if not any(_beside(current, part).exists() for part in ("", *_PARTS)):
        return None
    to = _folder_for_old(current.parent, now)
    for part in (*_PARTS, ""):  # the database last, so that no -wal file is left without it
        with suppress(FileNotFoundError):
            os.replace(_beside(current, part), to / _beside(current, part).name)
    sync_folder(to)
    return to


def _beside(file: Path, part: str) -> Path:
    return file.with_name(file.name + part)


def _remove(file: Path) -> None:
    for part in ("", *_PARTS):
        _beside(file, part).unlink(missing_ok=True)


# --- PostgreSQL --------------------------------------------------------------------------------------------
def _connection(url: str) -> postgresql.Connection:
    store = Store(url)
    return postgresql.connection(store.engine.dialect.create_connect_args(make_url(url))[1])


def _version_in(dump: Path) -> str:
    """The version of the schema in this dump. Raises GiveUp if it is no contest's."""
    versions = postgresql.column_in(dump, "alembic_version")
    if len(versions) != 1:
        raise GiveUp("the backup holds a database, but not one of knobeln")
    return versions[0]


def _put_dump_back(folder: Path, url: str, copied: Path, now: datetime) -> Restored:
    """One transaction replaces all tables and stops the mails. The next one takes over what happened since,
    and lets the mails go on if that is known.
    """
    migrate.must_be_known(_version_in(copied))
    store = Store(url)
    with scratch_folder(folder) as scratch:
        kept_in = _keep_server(store, folder, now)
        old = scratch / FILE_NAME
        _copy_server(store, old)
        tables = ", ".join(f'"{name}"' for name in (*metadata.tables, "alembic_version"))
        before = f"DROP TABLE IF EXISTS {tables} CASCADE; DROP FUNCTION IF EXISTS ledger_only_grows();"
        stopped = f"VALUES (1, now() AT TIME ZONE 'UTC', '{_INTERRUPTED}') ON CONFLICT DO NOTHING;"
        after = "RESET search_path; INSERT INTO delivery_stop (id, since, reason) " + stopped
        postgresql.replace(_connection(url), copied, before, after, scratch)
        migrate.upgrade(store)
        since = _update_from_old(store, old, now)
    store.close()
    return Restored(since and since.letters, since and since.sent, kept_in)


def _keep_server(store: Store, folder: Path, now: datetime) -> Path | None:
    """Keep a dump of the old database."""
    if not migrate.version(store):
        return None
    to = _folder_for_old(folder, now)
    copy(store.url, to / DUMP_NAME)
    sync_folder(to)
    return to


def _copy_server(store: Store, to: Path) -> None:
    """Copy the old database into a file, as far as it can be read, to see later what happened in it."""
    try:
        migrate.check(store)
    except KnobelnError:
        return
    copied = Store(f"sqlite:///{to}")
    migrate.upgrade(copied)
    copy_contest(store, copied)
    copied.close()


# --- both --------------------------------------------------------------------------------------------------
def _folder_for_old(folder: Path, now: datetime) -> Path:
    return Path(tempfile.mkdtemp(prefix=now.strftime("before-restore-%Y%m%d-%H%M%S-"), dir=folder))


def _update_from_old(store: Store, old: Path, now: datetime) -> _Since | None:
    """Take over what happened since from the old database, or stop the mails and return None."""
    with store.write() as tx:
        try:
            known = _take_over(tx, old, now)
            stop = outbox.stopped(tx)
            if stop is not None and stop.reason == _INTERRUPTED:
                outbox.go_on(tx)
        except KnobelnError as error:
            outbox.stop(tx, STOPPED, now)
            contest_state.note(tx, "restore", f"a backup was restored; all mails stop, because {error}", now)
            return None
        text = (
            f"a backup was restored; since it was made {plural(known.letters, 'letter')} came in, "
            f"{plural(known.sent, 'mail')} went out"
        )
        contest_state.note(tx, "restore", text, now)
        return known


def _take_over(tx: Transaction, old: Path, now: datetime) -> _Since:
    """Raises KnobelnError if the old database cannot be read, or is another contest's."""
    if not old.exists():
        raise GiveUp("there is no older database here that could tell what went out")
    store = Store(f"sqlite:///{old}")
    try:
        store.check_integrity()
        migrate.check(store)
        with store.read() as other:
            if not contest_state.exists(other) or contest_state.secret(other) != contest_state.secret(tx):
                raise GiveUp("the database that was here is another contest's")
            stop = outbox.stopped(other)
            if stop is not None and stop.reason == _INTERRUPTED:
                raise GiveUp(stop.reason)
            ledger.add_those_of(tx, other)
            sent = outbox.remember_as_sent(tx, outbox.sent_mails(other), now)
            return _Since(letters.add_those_of(tx, other), sent)
    finally:
        store.close()
