"""The languages that teams could use, and the programs that wait because a host has lost theirs.

Such a program stays queued, but counts as waiting nowhere else (`submissions`): it holds up nobody.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import func, select, update

from contest.model import ProgramsWaiting, SubmissionState, Wait
from contest.util.plurals import plural
from store import contest_state
from store.claims import UNCLAIMED
from store.session import Transaction
from store.tables import contest, submissions

AREA = "languages"  # of the journal

_QUEUED = submissions.c.state == SubmissionState.QUEUED


def offered(tx: Transaction) -> frozenset[str]:
    """Return all languages that teams could use at some time."""
    return frozenset(tx.execute(select(contest.c.languages)).scalar_one() or ())


def offer(tx: Transaction, languages: Iterable[str]) -> None:
    """Note that teams can use these languages, too."""
    tx.execute(update(contest).values(languages=sorted(offered(tx).union(languages))))


def wait_for(
    tx: Transaction, submission_id: int, language: str, reason: str, now: datetime
) -> bool:
    """Let a program wait for its language, unless it has been built. True: it is the first that
    waits for it.

    `reason`: why this host cannot build the language.
    """
    is_first = all(wait.language != language for wait in waiting(tx))
    queued = update(submissions).where(submissions.c.id == submission_id, _QUEUED)
    if not tx.execute(queued.values(waits_for=language, **UNCLAIMED)).rowcount:
        return False
    if is_first:
        text = f"programs in {language} wait: this host cannot build them"
        contest_state.note(tx, AREA, text, now, whom=language, reason=reason)
    return is_first


def works_again(tx: Transaction, language: str, now: datetime) -> bool:
    """Put the programs that wait for this language back into the queue. False: none waits."""
    these = update(submissions).where(submissions.c.waits_for == language, _QUEUED)
    count = tx.execute(these.values(waits_for=None)).rowcount
    if count:
        text = f"programs in {language} can be built again: {plural(count, 'program')} in the queue"
        contest_state.note(tx, AREA, text, now, whom=language)
    return count > 0


def waiting(tx: Transaction) -> tuple[ProgramsWaiting, ...]:
    """Return how many programs wait for each language that a host has lost, by the language's
    name."""
    name = submissions.c.waits_for
    query = select(name, func.count(), func.min(submissions.c.received_at))
    rows = tx.execute(query.where(name.is_not(None), _QUEUED).group_by(name).order_by(name)).all()
    waits = []
    for language, programs, since in rows:
        reason = next(
            (line.reason for line in contest_state.log(tx, 1, area=AREA, whom=language)), ""
        )
        waits.append(ProgramsWaiting(Wait.LANGUAGE, programs, since, language, reason))
    return tuple(waits)


def teams_waiting(tx: Transaction) -> frozenset[int]:
    """Return the ids of the teams whose programs wait for a language."""
    query = select(submissions.c.team_id).where(submissions.c.waits_for.is_not(None), _QUEUED)
    return frozenset(tx.execute(query).scalars())
