"""Counts how often a piece of work was begun by a process that then ended without finishing it.

So no letter, program or step can hold its queue (O02, O03): whatever ends the process each time
(`kill -9`, no memory, a fault of ours), the work is set aside after some times, and the next piece
has its turn. The mark is committed before the work begins, and deleted by the transaction that
finishes the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import bindparam, delete, insert, select, update

from store.claimant import Claimant
from store.session import Transaction
from store.tables import begun

# Of a process on another computer we cannot know whether it has ended.
_LONGEST_WORK = timedelta(hours=1)


def begin(
    tx: Transaction, work: Sequence[str], claimant: Claimant, now: datetime
) -> dict[str, int]:
    """Note that this process begins these pieces of work; how often each was begun, this time
    included.

    Work that this process, or another living one, has in hand is not counted again.
    """
    rows = tx.execute(_AMONG, {"work": tuple(work)}).all()
    before = {row.work: row for row in rows}
    times: dict[str, int] = {}
    for piece in work:
        row = before.get(piece)
        if row is None:
            times[piece] = 1
        elif _is_at_work(row.process, row.at, claimant, now):
            times[piece] = row.times
        else:
            times[piece] = row.times + 1
    new = [piece for piece in work if piece not in before]
    again = [piece for piece in work if piece in before and times[piece] > before[piece].times]
    mark = {"process": claimant.name, "at": now}
    if new:
        tx.execute(insert(begun), [{"work": piece, "times": 1, **mark} for piece in new])
    for piece in again:
        tx.execute(_AGAIN, {"piece": piece, "times": times[piece], **mark})
    return times


_AMONG = select(begun).where(begun.c.work.in_(bindparam("work", expanding=True)))
_AGAIN = update(begun).where(begun.c.work == bindparam("piece"))


def _is_at_work(process: str, begun_at: datetime, claimant: Claimant, now: datetime) -> bool:
    if process == claimant.name:
        return True
    is_recent = now - _LONGEST_WORK <= begun_at <= now
    return is_recent and not claimant.is_gone(process)


def times(tx: Transaction, work: str) -> int:
    """Return how often the work was begun, if it has not been finished."""
    return tx.execute(select(begun.c.times).where(begun.c.work == work)).scalar() or 0


def begun_at(tx: Transaction, work: Sequence[str]) -> dict[str, datetime]:
    """Since when a process has had these pieces of work in hand, of those that were begun."""
    return {row.work: row.at for row in tx.execute(_AMONG, {"work": tuple(work)})}


def finish(tx: Transaction, work: str, claimant: Claimant | None = None) -> None:
    """The work is done, set aside or put back: forget how often it was begun.

    `claimant`: only if this process was the last one that began it.
    """
    if claimant is None:
        tx.execute(_FINISH, {"piece": work})
    else:
        tx.execute(_FINISH_OWN, {"piece": work, "process": claimant.name})


_FINISH = delete(begun).where(begun.c.work == bindparam("piece"))
_FINISH_OWN = _FINISH.where(begun.c.process == bindparam("process"))


def left_over(tx: Transaction, claimant: Claimant, now: datetime) -> frozenset[str]:
    """Return the work that processes have begun which have ended: it is done again, one piece at a
    time."""
    rows = tx.execute(select(begun)).all()
    return frozenset(
        row.work for row in rows if not _is_at_work(row.process, row.at, claimant, now)
    )
