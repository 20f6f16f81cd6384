"""Copy a contest's database while it is in use, and restore a copy.

The copy is the database as it was at one moment, and no process has to wait. It is a file of
SQLite, whatever the database is, so a contest can move from one kind to the other.

After a copy was made, mails have gone out and letters have arrived. If the database that the copy
replaces can still be read, we take over its letters, and do not send again the mails that it has
sent. Otherwise we cannot know them, and all mails stop until the organizer lets them go on.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import JSON, MetaData, event, func, insert, make_url, select
from sqlalchemy.exc import DatabaseError

from contest.config.remains import DRAFT, REPLACED
from contest.errors import GiveUp, KnobelnError
from contest.util.folders import scratch_folder, sync_file, sync_folder
from contest.util.plurals import plural
from store import contest_state, ledger, letters, migrate, outbox
from store.session import FILE_NAME, Held, Store, Transaction
from store.tables import metadata

STOPPED = "a backup was restored, and nobody knows which mails have gone out since it was made"
_PARTS = ("-wal", "-shm")
_BATCH_SIZE = 500  # rows


@dataclass(frozen=True)
class Restored:
    """What happened since the backup."""

    letters: int | None  # that arrived; None if the old database cannot be read
    sent: int | None  # mails; None if nobody knows, and all mails stop
    kept_in: Path | None  # the folder of the old database


def _is_file(url: str) -> bool:
    """Return whether it is SQLite, and not PostgreSQL. Raises GiveUp for another kind."""
    kind = make_url(url).get_backend_name()
    if kind not in ("sqlite", "postgresql"):
        raise GiveUp(f"there is no backup of databases of this kind: {kind}")
    return kind == "sqlite"


@contextmanager
def only_one(url: str, what: str) -> Iterator[Held]:
    """Hold the lock of a server's database for `what`, as `Store.only_one`; its contest may be
    missing."""
    if _is_file(url):
        yield Held(True)
        return
    with closing(Store(url)) as store, store.only_one(what) as alone:
        yield alone


def copy(url: str, to: Path) -> None:
    """Copy the database, of whatever version it is, into a new file.

    Raises StoreBusy if it is locked or the disk is full, GiveUp if it is damaged.
    """
    to.unlink(missing_ok=True)
    try:
        with closing(Store(url)) as source, closing(Store(f"sqlite:///{to}")) as copied:
            source.check_integrity()
            with source.read() as reading, copied.write() as writing:
                tables = tables_in(reading)
                tables.create_all(writing)
                copy_rows(reading, writing, tables)
            copied.fold()
    except KnobelnError:
        to.unlink(missing_ok=True)
        raise


def put_back(folder: Path, url: str, copied: Path, now: datetime) -> Restored:
    """Make this copy the contest's database.

    The old database is kept in a folder of its own in the contest's folder. No other process may
    use it meanwhile. If this is killed at any point, it can be repeated, even with another backup:
    until the old database is replaced, either it or the draft has everything that came in. Raises
    GiveUp if the copy is not a contest's database, or too new.
    """
    with closing(Store(f"sqlite:///{copied}")) as copy:
        copy.check_integrity()
        if not migrate.version(copy):
            raise GiveUp("the backup holds a database, but not one of knobeln")
        migrate.upgrade(copy)
        if _is_file(url):
            return _put_into_file(Path(make_url(url).database or ""), copy, now)
        kept_in = _keep_server(url, folder, now)
        came, sent = _update_from_old(copy, (kept_in or folder) / FILE_NAME, now)
        with closing(Store(url)) as target:
            _replace(target, copy)
        return Restored(came, sent, kept_in)


def _put_into_file(current: Path, copy: Store, now: datetime) -> Restored:
    """Replace this SQLite file by what is in `copy`, and by letters and sent mails of the file.

    If a `restore` was killed, its draft has them; the file may have lost its -wal by then.
    """
    folder, draft = current.parent, _beside(current, DRAFT)
    came, sent = _update_from_old(copy, draft if draft.exists() else current, now)
    with scratch_folder(folder) as scratch:
        complete = scratch / FILE_NAME
        with closing(Store(f"sqlite:///{complete}")) as target:
            _replace(target, copy)
            target.fold()
        os.replace(complete, draft)  # from now on nobody opens the old one, see `knobeln.context`
    sync_folder(folder)
    kept_in = _keep_file(current, now)
    for part in _PARTS:  # they must not meet another database
        _beside(current, part).unlink(missing_ok=True)
    os.replace(draft, current)
    sync_folder(folder)
    return Restored(came, sent, kept_in)


def _replace(target: Store, copy: Store) -> None:
    """Take over rows only, all in one transaction: somebody may have changed the backup."""
    try:
        with copy.read() as reading, target.write() as writing:
            migrate.make_anew(writing)
            copy_rows(reading, writing, metadata)
    except DatabaseError as error:
        raise GiveUp(f"the database does not take the backup: {error.orig}") from error


def _keep_server(url: str, folder: Path, now: datetime) -> Path | None:
    """Copy the contest that a server's database has now; None if it has none."""
    with closing(Store(url)) as store:
        if not migrate.version(store):
            return None
    to = _folder_for_old(folder, now)
    copy(url, to / FILE_NAME)
    sync_folder(to)
    return to


def _keep_file(current: Path, now: datetime) -> Path | None:
    """Give the old database, with its -wal and -shm files, second names in a folder of their
    own."""
    files = [_beside(current, part) for part in ("", *_PARTS)]
    parts = [file for file in files if file.exists()]
    if not parts:
        return None
    to = _folder_for_old(current.parent, now)
    for file in parts:
        try:
            os.link(file, to / file.name)
        except OSError:  # a file system without second names
            shutil.copy2(file, to)
            sync_file(to / file.name)
    sync_folder(to)
    sync_folder(current.parent)
    return to


def _beside(file: Path, part: str) -> Path:
    return file.with_name(file.name + part)


def _folder_for_old(folder: Path, now: datetime) -> Path:
    return Path(tempfile.mkdtemp(prefix=f"{REPLACED}{now:%Y%m%d-%H%M%S}-", dir=folder))


def _update_from_old(store: Store, old: Path, now: datetime) -> tuple[int | None, int | None]:
    """Take over what happened since from the old database. Returns how many letters came, and mails
    went out.

    Letters: None if it cannot be read. Mails: None if that cannot be known; then all of them stop.
    """
    came: int | None = None
    with store.write() as tx:
        try:
            with _old_contest(tx, old) as other:
                came = letters.add_those_of(tx, other)
                sent = _take_over_sent(tx, other, now)
        except KnobelnError as error:
            outbox.stop(tx, STOPPED, now)
            since = "" if came is None else f"; since it was made {plural(came, 'letter')} came in"
            text = f"a backup was restored{since}; all mails stop, because {error}"
            contest_state.note(tx, "restore", text, now)
            return came, None
        since = f"{plural(came, 'letter')} came in, {plural(sent, 'mail')} went out"
        text = f"a backup was restored; since it was made {since}"
        contest_state.note(tx, "restore", text, now)
        return came, sent


@contextmanager
def _old_contest(tx: Transaction, old: Path) -> Iterator[Transaction]:
    """Read the old database. Raises KnobelnError if that is impossible, or it is another
    contest's."""
    if not old.exists():
        raise GiveUp("there is no older database here that could tell what went out")
    with closing(Store(f"sqlite:///{old}")) as store:
        store.check_integrity()
        migrate.check(store)
        with store.read() as other:
            if not contest_state.exists(other) or contest_state.secret(
                other
            ) != contest_state.secret(tx):
                raise GiveUp("the database that was here is another contest's")
            yield other


def _take_over_sent(tx: Transaction, other: Transaction, now: datetime) -> int:
    """Never send again what the old contest has sent; return how many mails that are.

    Raises GiveUp if nobody knows which they are.
    """
    ledger.add_those_of(tx, other)
    sent = outbox.remember_as_sent(tx, outbox.sent_mails(other), now)
    # by an earlier `restore`, and the organizer has not looked yet
    if stopped := outbox.stopped(other):
        raise GiveUp(f"they were stopped here: {stopped.reason}")
    return sent


# --- rows -----------------------------------------------------------------------------------------
def copy_contest(source: Store, target: Store) -> None:
    """Copy every row of every table, as of one moment. `target`: an empty database; both are at
    head."""
    with source.read() as reading, target.write() as writing:
        copy_rows(reading, writing, metadata)


def copy_rows(reading: Transaction, writing: Transaction, tables: MetaData) -> None:
    """Copy every row of these tables. Where the other database numbers new rows itself, it goes on
    behind."""
    for table in tables.sorted_tables:
        rows = reading.execute(select(table), execution_options={"stream_results": True}).mappings()
        while batch := rows.fetchmany(_BATCH_SIZE):
            writing.execute(insert(table), [dict(row) for row in batch])
        number = table.autoincrement_column
        if number is not None and writing.dialect.name == "postgresql":
            sequence = func.pg_get_serial_sequence(f'"{table.name}"', number.name)
            next_one = select(func.coalesce(func.max(number), 0) + 1).scalar_subquery()
            writing.execute(select(func.setval(sequence, next_one, False)))


def tables_in(tx: Transaction) -> MetaData:
    """Return the tables of this database, which may be of any version, so that another one can have
    them, too."""
    metadata = MetaData()

    def make_general(_inspector: object, _table: object, column: Any) -> None:
        kind = column["type"].as_generic()
        column.update(
            type=JSON(none_as_null=True) if isinstance(kind, JSON) else kind, default=None
        )

    event.listen(metadata, "column_reflect", make_general)
    metadata.reflect(tx)
    return metadata
