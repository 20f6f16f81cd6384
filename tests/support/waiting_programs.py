"""What waits to be compiled."""

from sqlalchemy import select

from contest.model import Submission, SubmissionState
from store import Transaction, submissions, tables


def next_queued(tx: Transaction) -> Submission | None:
    """The program that has waited longest."""
    table = tables.submissions
    query = select(table.c.id).where(table.c.state == SubmissionState.QUEUED).order_by(table.c.id)
    first = tx.execute(query).scalar()
    return None if first is None else submissions.get(tx, first)
