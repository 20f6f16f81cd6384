"""Many rows at once."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from sqlalchemy import Table, insert

from contest.store.session import Transaction


def insert_many(
    tx: Transaction, table: Table, names: Sequence[str], rows: Sequence[Sequence[object]]
) -> None:
    """Rows as the driver takes them, with these columns; JSON is text.

    What SQLAlchemy does for each value would take as long as everything else that is done for a large group.
    """
    if not rows:
        return
    statement = insert(table).compile(dialect=tx.dialect, column_keys=names)
    if statement.positiontup is None:
        tx.exec_driver_sql(str(statement), [dict(zip(names, row, strict=True)) for row in rows])
        return
    in_order = itemgetter(*map(names.index, statement.positiontup))
    tx.exec_driver_sql(str(statement), list(map(in_order, rows)))
