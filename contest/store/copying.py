"""Copy a complete contest into another database, for rehearsals."""

from __future__ import annotations

from sqlalchemy import insert, select

from contest.store.session import Store
from contest.store.tables import metadata

_BATCH_SIZE = 500  # rows


def copy_contest(source: Store, target: Store) -> None:
    """Copy every row of every table, as of one moment. `target`: an empty database at head, of any kind."""
    with source.read() as reading, target.write() as writing:
        for table in metadata.sorted_tables:
            rows = reading.execute(select(table)).mappings()
            while batch := rows.fetchmany(_BATCH_SIZE):
                writing.execute(insert(table), [dict(row) for row in batch])
