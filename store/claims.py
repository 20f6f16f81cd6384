"""Claims on rows of a queue, so that each piece of work is done by one process at a time.

A claim is a lease: it names its process and ends at a time. The process renews it while it works.
If the process is killed, the claim ends by itself, and another process does the work again. So a
claim saves double work; it does not prove anything. Whoever stores the result must check that the
row still waits for it.

A row whose work has ended MAX_TIMES processes is not worked on again: it may be what ends
them. An upgrade or a restart ends a process, too, so that once or twice says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from threading import Event, Thread

from sqlalchemy import ColumnElement, Table, false, or_, select, update

from contest.errors import KnobelnError
from contest.util.clock import Clock
from contest.util.log import log
from store import begun
from store.claimant import Claimant
from store.session import Store, Transaction

LEASE = timedelta(seconds=60)
RENEW_SECONDS = LEASE.total_seconds() / 4
MAX_TIMES = 3
HOPELESS = f"it was begun {MAX_TIMES} times, and each time the server ended before it was done"
"""Why such a row is set aside."""
UNCLAIMED: Mapping[str, object] = {"claimed_by": None, "claimed_until": None}


def ended(tx: Transaction, queue: Table, row: int) -> None:
    """The work on this row is done: forget how often it was begun. For the transaction that stores
    the result, so that a process that is killed after it leaves nothing behind."""
    begun.finish(tx, _work(queue, row))


def in_hand(tx: Transaction, queue: Table, now: datetime) -> dict[int, datetime]:
    """Return the rows that processes have claimed, and since when these work on them."""
    claimed = tx.execute(select(queue.c.id).where(queue.c.claimed_until > now)).scalars()
    rows = {_work(queue, row): row for row in claimed}
    return {rows[work]: begun_at for work, begun_at in begun.begun_at(tx, tuple(rows)).items()}


def _work(queue: Table, row: int) -> str:
    return f"{queue.name}/{row}"


@dataclass(frozen=True)
class Claims:
    """The claims of one process on the rows of a queue.

    `queue`: a table with the columns `claimed_by` and `claimed_until`; `waiting`: which of its rows
    wait.
    """

    queue: Table
    waiting: ColumnElement[bool]
    claimant: Claimant
    clock: Clock

    def is_free(self, tx: Transaction) -> ColumnElement[bool]:
        """Return a condition: no living process has claimed the row.

        A claim that ends later than any lease was written while a clock was wrong, and does not
        count.
        """
        until, now = self.queue.c.claimed_until, self.clock.now()
        owners = tx.execute(
            select(self.queue.c.claimed_by).where(self.waiting, until > now).distinct()
        )
        gone = [name for name in owners.scalars() if self.claimant.is_gone(name)]
        of_the_gone = self.queue.c.claimed_by.in_(gone) if gone else false()
        return or_(until.is_(None), until <= now, until > now + LEASE, of_the_gone)

    def take(self, tx: Transaction, row: int) -> bool:
        """Claim this row, and begin its work. False if it no longer waits, or another process has
        it."""
        free = update(self.queue).where(self.queue.c.id == row, self.waiting, self.is_free(tx))
        if tx.execute(free.values(self._lease())).rowcount != 1:
            return False
        # Whoever had begun it has lost its claim.
        others_are_gone = replace(self.claimant, is_gone=lambda _name: True)
        begun.begin(tx, [_work(self.queue, row)], others_are_gone, self.clock.now())
        return True

    @contextmanager
    def kept(self, store: Store, row: int) -> Iterator[bool]:
        """Renew our claim while the work is done; if the work fails, give it up. Either way it has
        ended.

        Yields whether it is hopeless: the work on this row has ended MAX_TIMES processes.

        The transaction that stores the result ends the claim, too (`UNCLAIMED`, `ended`).
        """
        done = Event()
        Thread(target=self._renew, args=(store, row, done), name="lease", daemon=True).start()
        try:
            with store.read() as tx:
                is_hopeless = begun.times(tx, _work(self.queue, row)) > MAX_TIMES
            yield is_hopeless
        except BaseException:
            self._change(store, row, UNCLAIMED)
            raise
        finally:
            done.set()
            self._end(store, row)

    def _renew(self, store: Store, row: int, done: Event) -> None:
        while not done.wait(RENEW_SECONDS):
            self._change(store, row, self._lease())

    def _end(self, store: Store, row: int) -> None:
        try:
            with store.write() as tx:
                begun.finish(tx, _work(self.queue, row), self.claimant)
        except KnobelnError as error:  # then it counts as begun until the row is done
            log.warning(
                "work was not marked as ended", queue=self.queue.name, row=row, why=str(error)
            )

    def _change(self, store: Store, row: int, values: Mapping[str, object]) -> None:
        ours = (self.queue.c.id == row) & (self.queue.c.claimed_by == self.claimant.name)
        try:
            with store.write() as tx:
                tx.execute(update(self.queue).where(ours).values(values))
        except KnobelnError as error:  # then the lease ends by itself
            log.warning("a claim was not changed", queue=self.queue.name, row=row, why=str(error))

    def _lease(self) -> Mapping[str, object]:
        return {"claimed_by": self.claimant.name, "claimed_until": self.clock.now() + LEASE}
