"""A whole contest copied into another database: for rehearsals, which change nothing."""

from __future__ import annotations

from sqlalchemy import insert, select

from contest.store.session import Store
from contest.store.tables import metadata

ROWS_AT_ONCE = 500


def copy_contest(source: Store, target: Store) -> None:
    """Every row of every table, as of one moment. `target` is at head and empty; any kind of database."""
    with source.read() as reading, target.write() as writing:
        for table in metadata.sorted_tables:
            rows = reading.execute(select(table)).mappings()
            while some := rows.fetchmany(ROWS_AT_ONCE):
                writing.execute(insert(table), [dict(row) for row in some])
