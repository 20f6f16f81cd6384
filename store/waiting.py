"""What the programs in the queue wait for, and since when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import select

from contest.config.settings import Settings
from contest.model import ProgramsWaiting, SubmissionState, Wait, WaitingProgram
from store import engine_failures, languages
from store.session import Transaction
from store.submissions import NOT_WITHDRAWN
from store.tables import builds, submissions

LONG = timedelta(minutes=10)
"""A program that waits no longer for its turn needs no word: it is compiled soon."""
_HOUR = timedelta(hours=1)


def programs(tx: Transaction, settings: Settings, now: datetime) -> tuple[WaitingProgram, ...]:
    """Return all programs in the queue, oldest first."""
    row = submissions.c
    query = select(
        row.id, row.team_id, row.number, row.received_at, row.reply_to, row.waits_for
    ).where(row.state == SubmissionState.QUEUED, NOT_WITHDRAWN)
    rows = tx.execute(query.order_by(row.id)).all()
    ends = _ends_of_hours(tx, settings, now) if rows else {}
    failed = engine_failures.failed_work(tx) if rows else frozenset()
    waiting = []
    for submission in rows:
        program = WaitingProgram(
            submission=submission.id,
            team=submission.team_id,
            number=submission.number,
            since=submission.received_at,
            reply_to=submission.reply_to,
            waits_for=Wait.TURN,
        )
        if submission.waits_for is not None:
            program = replace(program, waits_for=Wait.LANGUAGE, language=submission.waits_for)
        elif submission.team_id in ends:
            program = replace(program, waits_for=Wait.HOUR, until=ends[submission.team_id])
        elif engine_failures.work_on(submission.id) in failed:
            program = replace(program, waits_for=Wait.AGAIN)
        waiting.append(program)
    return tuple(waiting)


def groups(tx: Transaction, settings: Settings, now: datetime) -> tuple[ProgramsWaiting, ...]:
    """Return how many programs wait for the same, without those that have only come lately."""
    came: dict[Wait, list[datetime]] = {Wait.HOUR: [], Wait.AGAIN: [], Wait.TURN: []}
    for program in programs(tx, settings, now):
        is_told = program.waits_for is Wait.HOUR or now - program.since >= LONG
        if is_told and program.waits_for in came:
            came[program.waits_for].append(program.since)
    others = (
        ProgramsWaiting(kind, len(times), min(times)) for kind, times in came.items() if times
    )
    return (*languages.waiting(tx), *others)


def _ends_of_hours(tx: Transaction, settings: Settings, now: datetime) -> Mapping[int, datetime]:
    """Return when the next program is compiled of each team that has used up the last hour, by its
    id."""
    limit = settings.programs.MAX_COMPILES_PER_HOUR
    if now >= settings.dates.compilation_closes:  # then there is no limit
        return {}
    query = select(submissions.c.team_id, builds.c.built_at).join_from(submissions, builds)
    recent = query.where(builds.c.built_at > now - _HOUR, builds.c.built_at <= now)
    built: dict[int, list[datetime]] = {}
    for team, built_at in tx.execute(recent.order_by(builds.c.built_at.desc())):
        built.setdefault(team, []).append(built_at)
    return {team: times[limit - 1] + _HOUR for team, times in built.items() if len(times) >= limit}
