"""Copy a contest's database while it is in use, and restore a copy. SQLite only.

SQLite's online backup makes the copy: it is the database as it was at one moment, and no process has to wait.

After a copy was made, mails have gone out and letters have arrived. If the database that the copy replaces
can still be read, we take over its letters, and do not send again the mails that it has sent. Otherwise we
cannot know them, and all mails stop until the organizer lets them go on.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import make_url

from contest.errors import GiveUp, KnobelnError, StoreBusy
from contest.fsync import sync_folder
from contest.plurals import plural
from contest.store import contest_state, ledger, letters, migrate, outbox
from contest.store.session import FILE_NAME, Store, Transaction

STOPPED = "a backup was restored, and nobody knows which mails have gone out since it was made"
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


def file_of(url: str) -> Path:
    """The database's file. Raises GiveUp for PostgreSQL and others, with the commands to use instead."""
    place = make_url(url)
    if not place.drivername.startswith("sqlite") or not place.database:
        shown = place.set(drivername=place.get_backend_name()).render_as_string(hide_password=True)
        raise GiveUp(
            f"the database is a server's, which has its own commands: `pg_dump --format=custom --file=FILE "
            f"{shown}`, and for the way back `pg_restore --clean --if-exists --dbname={shown} FILE`; then "
            "look at `knobeln outbox list --state ready` before `knobeln serve`"
        )
    return Path(place.database)


def copy(source: Path, to: Path) -> None:
    """Copy the database and check the copy. Raises StoreBusy if it is locked or the disk is full."""
    with suppress(FileNotFoundError):
        to.unlink()
    os.close(os.open(to, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        with closing(sqlite3.connect(source)) as there, closing(sqlite3.connect(to)) as here:
            there.backup(here)
            here.execute("PRAGMA journal_mode=DELETE")  # so that the copy is one file
            verdict = here.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        to.unlink(missing_ok=True)
        raise StoreBusy(f"the database cannot be copied: {error}") from error
    if verdict != "ok":
        to.unlink(missing_ok=True)
        raise GiveUp(f"the database is damaged ({verdict}), and so would be its copy; take an older backup")


def put_back(folder: Path, copied: Path, now: datetime) -> Restored:
    """Move this copy into the contest folder as its database.

    The old database is kept in a folder of its own. No other process may use it meanwhile. If this is killed
    at any point, it can be repeated. Raises GiveUp if the copy is not a contest's database, SchemaMismatch if
    it is too new.
    """
    draft, current = folder / _DRAFT, folder / FILE_NAME
    os.replace(copied, draft)
    store = Store(f"sqlite:///{draft}")
    try:
        store.check_integrity()
        if not migrate.is_made(store):
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


def _update_from_old(store: Store, old: Path, now: datetime) -> _Since | None:
    """Take over what happened since from the old database, or stop the mails and return None."""
    with store.write() as tx:
        try:
            known = _take_over(tx, old, now)
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
            ledger.add_those_of(tx, other)
            sent = outbox.remember_as_sent(tx, outbox.sent_mails(other), now)
            return _Since(letters.add_those_of(tx, other), sent)
    finally:
        store.close()


def _put_aside(current: Path, now: datetime) -> Path | None:
    """Move the old database away, with its -wal and -shm files, which must not meet another database."""
    if not any(_beside(current, part).exists() for part in ("", *_PARTS)):
        return None
    to = Path(tempfile.mkdtemp(prefix=now.strftime("before-restore-%Y%m%d-%H%M%S-"), dir=current.parent))
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
