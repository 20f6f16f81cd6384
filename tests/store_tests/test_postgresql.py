"""The same contest on a real PostgreSQL, where one is installed."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import MetaData, create_engine, insert, select

from contest.model import LetterState
from contest.store import Store, letters, migrate, results, submissions, teams
from contest.store.tables import metadata
from tests.support.postgresql import PostgreSQL, drop

NOW = datetime(1994, 5, 14, 12, tzinfo=UTC)


@pytest.fixture
def store(postgresql: PostgreSQL) -> Iterator[Store]:
    made = Store(postgresql.new_database())
    migrate.upgrade(made)
    yield made
    made.close()
    drop(made.url)


@pytest.mark.slow
def test_the_migrations_make_the_tables_there_too(store: Store) -> None:
    migrate.check(store)
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_who_reads_and_then_writes_is_alone_there_too(store: Store) -> None:
    """A new version's number is the last one plus 1: without the lock, two versions would get the same."""
    from tests.support.contest_field import add_team

    with store.write() as tx:
        team_id = add_team(tx, "heavy_lords", "").id
        letter_id, _ = letters.add(tx, raw=b"x", sender="", recipients=(), channel="t", now=NOW)
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
        assert [v.submission.number for v in submissions.versions(tx, team_id)] == list(range(1, 41))
        assert teams.count(tx) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "dump", sorted(Path(__file__).with_name("releases").glob("*.sql")), ids=lambda p: p.stem
)
def test_a_release_with_data_in_it_gets_the_present_schema_there_too(
    postgresql: PostgreSQL, tmp_path: Path, dump: Path
) -> None:
    """The release's own migrations make the tables; the rows come from the release's SQLite database."""
    old = create_engine(f"sqlite:///{tmp_path / 'old.db'}")
    with closing(sqlite3.connect(tmp_path / "old.db")) as database:
        database.executescript(dump.read_text())
    made = Store(postgresql.new_database())
    with made.write() as tx:
        command.upgrade(migrate._config(tx), dump.stem.partition("-")[0])
        there = MetaData()
        there.reflect(tx)
        with old.connect() as source:
            for table in there.sorted_tables:
                rows = [dict(row._mapping) for row in source.execute(select(table))]
                if rows and table.name != "alembic_version":
                    tx.execute(insert(table), rows)
    try:
        migrate.upgrade(made)
        migrate.check(made)
        with made.engine.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        with made.read() as tx:
            assert teams.count(tx) == len(teams.all_teams(tx)) >= 5
            assert all(version.submission.id for version in submissions.newest(tx, 100))
            assert [each.groups_done for each in results.progress_of_rounds(tx)] == [1]
    finally:
        made.close()
        drop(made.url)
        old.dispose()
