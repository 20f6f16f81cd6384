"""The class list: the invited people, with all that the list says about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import delete, insert, select

from contest.store.session import Transaction
from contest.store.tables import class_people


class ListedPerson(NamedTuple):
    """A person of the list. `team`: of the list, may be ""; `columns`: headings and texts, in their
    order."""

    address: str
    name: str
    team: str
    columns: tuple[tuple[str, str], ...]


def put(tx: Transaction, people: Iterable[ListedPerson]) -> None:
    """Add people. Those who are there already keep their place, with what is said now."""
    numbers = {row.address_key: row.id for row in tx.execute(select(class_people))}
    for person in people:
        key = person.address.casefold()
        tx.execute(delete(class_people).where(class_people.c.address_key == key))
        row = {"id": numbers[key]} if key in numbers else {}
        tx.execute(insert(class_people).values(**row, address_key=key, **person._asdict()))


def everybody(tx: Transaction) -> tuple[ListedPerson, ...]:
    """All people, in the order in which they came."""
    rows = tx.execute(select(class_people).order_by(class_people.c.id))
    return tuple(
        ListedPerson(row.address, row.name, row.team, tuple(map(tuple, row.columns)))
        for row in rows
    )
