"""The class list: the people of the class, with all that the list says about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import delete, insert, select

from store.session import Transaction
from store.tables import class_people


class ListedPerson(NamedTuple):
    """A person of the list. `address`, `team`: of the list, may be ""; `columns`: headings and
    texts, in their order."""

    address: str
    name: str
    team: str
    columns: tuple[tuple[str, str], ...]

    @property
    def key(self) -> str:
        """What nobody else in the list has: the address, or without one the name."""
        return self.address.casefold() or f"name: {' '.join(self.name.casefold().split())}"


def put(tx: Transaction, people: Iterable[ListedPerson]) -> None:
    """Add people. Those who are there already keep their place, and the columns that the new list
    does not have."""
    known = {row.address_key: row for row in tx.execute(select(class_people))}
    for person in people:
        earlier = known.get(person.key)
        row = {"id": earlier.id} if earlier else {}
        columns = dict(earlier.columns if earlier else ()) | dict(person.columns)
        tx.execute(delete(class_people).where(class_people.c.address_key == person.key))
        values = person._replace(columns=tuple(columns.items()))._asdict()
        tx.execute(insert(class_people).values(**row, address_key=person.key, **values))


def is_any(tx: Transaction) -> bool:
    """Return whether there is a class list."""
    return tx.execute(select(class_people.c.id).limit(1)).first() is not None


def everybody(tx: Transaction) -> tuple[ListedPerson, ...]:
    """Return all people, in the order in which they came."""
    rows = tx.execute(select(class_people).order_by(class_people.c.id))
    return tuple(
        ListedPerson(row.address, row.name, row.team, tuple(map(tuple, row.columns)))
        for row in rows
    )
