"""Observers: addresses of no team that get the announcement and the summaries of the rounds."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, insert, select

from contest.store.session import Transaction
from contest.store.tables import observers


def add(tx: Transaction, address: str, now: datetime) -> bool:
    """Add an observer. False: it is one already."""
    if is_one(tx, address):
        return False
    tx.execute(insert(observers).values(address_key=address.casefold(), address=address, since=now))
    return True


def remove(tx: Transaction, address: str) -> bool:
    """Remove an observer. False: it is none."""
    gone = tx.execute(delete(observers).where(observers.c.address_key == address.casefold()))
    return gone.rowcount == 1


def is_one(tx: Transaction, address: str) -> bool:
    """Whether this address is an observer's; case does not matter."""
    query = select(observers.c.address).where(observers.c.address_key == address.casefold())
    return tx.execute(query).first() is not None


def all_addresses(tx: Transaction) -> tuple[str, ...]:
    """The addresses of all observers, in the order in which they came."""
    query = select(observers.c.address).order_by(observers.c.since, observers.c.address_key)
    return tuple(tx.execute(query).scalars())
