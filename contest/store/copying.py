"""Copy a complete contest into another database, of any kind."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, MetaData, event, func, insert, select

from contest.store.session import Store, Transaction
from contest.store.tables import metadata

_BATCH_SIZE = 500  # rows


def copy_contest(source: Store, target: Store) -> None:
    """Copy every row of every table, as of one moment. `target`: an empty database; both are at head."""
    with source.read() as reading, target.write() as writing:
        copy_rows(reading, writing, metadata)


def copy_rows(reading: Transaction, writing: Transaction, tables: MetaData) -> None:
    """Copy every row of these tables. Where the other database numbers new rows itself, it goes on behind."""
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
    """The tables of this database, which may be of any version, so that another one can have them, too."""
    found = MetaData()

    def make_general(_inspector: object, _table: object, column: Any) -> None:
        kind = column["type"].as_generic()
        column.update(type=JSON(none_as_null=True) if isinstance(kind, JSON) else kind, default=None)

    event.listen(found, "column_reflect", make_general)
    found.reflect(tx)
    return found
