"""Rows of tables: as records, and many at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any, TypeVar

from sqlalchemy import Row, Table, insert

from contest.model.as_json import adapter
from contest.store.session import Transaction

T = TypeVar("T")


def record(kind: type[T], row: Row[Any], **others: object) -> T:
    """The record whose fields are columns of the row, by name. `others`: fields that are no columns."""
    return adapter(kind).validate_python({**row._mapping, **others})


def insert_many(
    tx: Transaction, table: Table, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """Insert rows of these columns as the driver takes them: JSON is text, and no column is a `Moment`.

    SQLAlchemy would convert each value of each row, which takes longer than to insert it.
    """
    statement = insert(table).compile(dialect=tx.dialect, column_keys=columns)
    if statement.positiontup is None:
        parameters: Sequence[object] = [dict(zip(columns, row, strict=True)) for row in rows]
    else:
        parameters = list(map(itemgetter(*map(columns.index, statement.positiontup)), rows))
    if parameters:
        tx.exec_driver_sql(str(statement), parameters)
