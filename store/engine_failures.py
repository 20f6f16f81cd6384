"""Failures of our engine, counted for all processes; a program that it always fails with is set
aside."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, insert, select, update

from store.session import Transaction
from store.tables import builds, engine_failures, ladder_games

MAX_FAILURES = 3  # at the same move of a program, or with the same work
MAX_WHEN_BUSY = 12  # of a compiler by the clock; the later ones while nothing else is compiled
MAX_WITH_PROGRAMS = 12  # with the same work, if the workers of one program or another fail


def count(tx: Transaction, culprit: str, move: str, now: datetime, times: int = 1) -> int:
    """Add this number of failures, and return the new total.

    `culprit`: the digest of a program, with the `move` as in EngineFailed; or what we were doing,
    with "".
    """
    same = (engine_failures.c.culprit == culprit) & (engine_failures.c.move == move)
    failures = tx.execute(select(engine_failures.c.failures).where(same)).scalar()
    if failures is None:
        tx.execute(
            insert(engine_failures).values(culprit=culprit, move=move, failures=times, at=now)
        )
        return times
    tx.execute(update(engine_failures).where(same).values(failures=failures + times, at=now))
    return int(failures) + times


def work_on(submission_id: int) -> str:
    """Return the work of compiling this submission, as a culprit."""
    return f"submission/{submission_id}"


def failed_work(tx: Transaction) -> frozenset[str]:
    """Return the work that our machinery failed with, whatever program it ran."""
    of_work = select(engine_failures.c.culprit).where(engine_failures.c.move == "")
    return frozenset(tx.execute(of_work).scalars())


def aside(tx: Transaction) -> frozenset[str]:
    """Return the digests of the programs that are set aside."""
    often = (engine_failures.c.failures >= MAX_FAILURES) & (engine_failures.c.move != "")
    return frozenset(tx.execute(select(engine_failures.c.culprit).where(often)).scalars())


def forgive(tx: Transaction, programs: Collection[str]) -> bool:
    """Forget the failures of these programs, and their games on the ladder. False: none of them was
    aside."""
    gone = aside(tx).intersection(programs)
    tx.execute(delete(engine_failures).where(engine_failures.c.culprit.in_(programs)))
    of_these = select(builds.c.id).where(builds.c.image_digest.in_(gone))
    games = ladder_games.c.first.in_(of_these) | ladder_games.c.second.in_(of_these)
    tx.execute(delete(ladder_games).where(games))
    return bool(gone)


def forgive_waiting(tx: Transaction) -> None:
    """Forget the failures of all programs that were never accepted: they are built or tried
    again."""
    known = select(builds.c.image_digest).where(builds.c.image_digest.is_not(None))
    tx.execute(delete(engine_failures).where(engine_failures.c.culprit.not_in(known)))
