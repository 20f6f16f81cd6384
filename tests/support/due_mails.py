"""The mails that are due, whole, and what becomes of them without a transport."""

from datetime import datetime

from store import Transaction, outbox
from store.outbox import DueMail, End, OutboxItem, Outcome


def due_mails(tx: Transaction, now: datetime, count: int = 1_000) -> list[OutboxItem]:
    """The next mails to send, at most `count`."""
    return [outbox.with_bytes(tx, mail) for mail in outbox.due(tx, now, count)]


def end(tx: Transaction, item: OutboxItem, how: End, at: datetime, response: str) -> None:
    """Make an attempt at this mail that ends so."""
    (begun,) = outbox.begin(tx, [DueMail(item.id, item.attempts, 0, item.ready_at)], at)
    outbox.mark(tx, [Outcome(item.id, begun.attempts + 1, how, at, response)])
