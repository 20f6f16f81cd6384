"""The state of a contest, for `knobeln status`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from contest.model import (
    LetterState,
    LogLine,
    OutboxState,
    Pause,
    Phase,
    ProgramsWaiting,
    SubmissionState,
)
from contest.public_number.draw import draw_awaited
from contest.schema.sections import Dates
from contest.util.clock import TIME_FORMAT
from contest.util.plurals import plural
from knobeln.context import ContestContext
from knobeln.server.parts import SERVE, missing
from mailserver.delivery import pace
from store import (
    Transaction,
    contest_state,
    decisions,
    letters,
    outbox,
    results,
    submissions,
    teams,
    waiting,
)
from store.outbox import ListedMail
from store.results import Progress
from store.submissions import RunningBuild

MAX_JOURNAL_LINES = 5
MAX_ERRORS = 3
RECENT = timedelta(days=1)
LONG_BUILD = timedelta(minutes=1)
MIN_DISK_BYTES = 500_000_000
LAST_DATE = "results_published"

State = TypeVar("State", bound=StrEnum)


@dataclass(frozen=True)
class Status:
    """What `status` shows, and some more. The field names are the keys of `--json`."""

    now: datetime
    title: str
    folder: str
    phase: Phase
    at_work: Mapping[str, int | bool]  # serve, run: the process ID, or whether it runs
    missing_parts: tuple[str, ...]  # of the server, that no process does; empty if none is at work
    open: Mapping[str, bool]  # registration, compilation
    dates: Mapping[str, datetime]
    next_date: str | None
    finished_at: datetime | None
    awaited_number: str | None  # where the public number comes from, if the contest waits for it
    teams: int  # that were heard from
    teams_unheard: int
    teams_pending: int
    with_program: int
    letters: Mapping[LetterState, int]
    ignored: Mapping[str, int]  # letters, by the reason
    programs: Mapping[SubmissionState, int]
    programs_waiting: tuple[ProgramsWaiting, ...]  # queued, for more than their turn
    long_builds: tuple[RunningBuild, ...]  # that have been running for LONG_BUILD
    mails: Mapping[OutboxState, int]
    mails_stopped: Pause | None
    mails_until: datetime | None  # when the last goes out, if a limit of the smarthost holds it
    oldest_mail: ListedMail | None
    rounds: tuple[Progress, ...]
    paused: Pause | None
    reports_held_since: datetime | None
    waiting_summaries: tuple[int, ...]
    errors: tuple[LogLine, ...]
    journal: tuple[LogLine, ...]
    free_disk_bytes: int
    letters_left: str | None  # which letters stay in the IMAP mailbox, for other addresses
    limits_of_sandboxes: str | None  # as `serve` or `run` found them when it started
    advice: tuple[str, ...] = ()  # what the organizer should do, the most urgent first

    @property
    def work_waits(self) -> bool:
        """Whether there is work for `knobeln serve`."""
        mails = 0 if self.mails_stopped else self.mails[OutboxState.READY]
        return any((self.letters[LetterState.NEW], self.programs[SubmissionState.QUEUED], mails))


def status_of(contest: ContestContext) -> Status:
    now, dates = contest.clock.now(), contest.settings.dates
    at_work = {what: contest.who_holds(what) for what in (SERVE, "run")}
    with contest.store.read() as tx:
        state = contest_state.state(tx)
        progress = tuple(results.progress_of_rounds(tx))
        left = _newest(tx, 1, contest_state.LEFT_AREA)
        draw = draw_awaited(contest.settings.tournament.beacon, dates.contest_starts, state)
        status = Status(
            now=now,
            title=contest.settings.contest.title,
            folder=str(contest.path.resolve()),
            phase=state.phase,
            at_work=at_work,
            missing_parts=missing(contest) if at_work["serve"] else (),
            open=dates.open_services(state.phase, now),
            dates=dates.model_dump(),
            next_date=next_date(dates, now, state.phase),
            finished_at=state.finished_at,
            awaited_number=draw.sentence if draw else None,
            teams=teams.count(tx),
            teams_unheard=len(teams.unproved_addresses(tx)),
            teams_pending=teams.count_pending(tx),
            with_program=submissions.count_with_program(tx),
            letters=_of_all(LetterState, letters.count_by_state(tx)),
            ignored=letters.count_ignored(tx),
            programs=_of_all(SubmissionState, submissions.count_by_state(tx)),
            programs_waiting=waiting.groups(tx, contest.settings, now),
            long_builds=tuple(
                build
                for build in submissions.running_builds(tx, now)
                if now - build.since >= LONG_BUILD
            ),
            mails=_of_all(OutboxState, outbox.count_by_state(tx)),
            mails_stopped=outbox.stopped(tx),
            mails_until=_last_mail(tx, contest, now),
            oldest_mail=outbox.oldest_waiting(tx),
            rounds=progress,
            paused=decisions.paused(tx),
            reports_held_since=decisions.reports_held(tx),
            waiting_summaries=tuple(results.unreported_rounds(tx)),
            errors=_recent(tx, now, MAX_ERRORS, "error"),
            journal=_newest(tx, MAX_JOURNAL_LINES),
            letters_left=next((line.text for line in left if line.whom), None),
            limits_of_sandboxes=next(
                (line.text for line in _newest(tx, 1, contest_state.LIMITS_AREA)), None
            ),
            free_disk_bytes=shutil.disk_usage(contest.path).free,
        )
    return replace(status, advice=(*_machinery_advice(status), *_decision_advice(status)))


def _last_mail(tx: Transaction, contest: ContestContext, now: datetime) -> datetime | None:
    """When the last waiting mail goes out, if it cannot go out now."""
    limits = pace.for_reports(contest.settings.mail.sending_limits)
    waiting = outbox.count(tx, state=OutboxState.READY, to=None)
    if not limits or not waiting:
        return None
    sent = outbox.sent_since(tx, now - pace.longest(limits))
    last = pace.last_of(limits, sent, waiting, now)
    return last if last > now else None


def _machinery_advice(status: Status) -> Iterator[str]:
    if status.paused:
        since, until = status.paused.since, status.paused.until
        resumes = f"; it goes on by itself at {until:{TIME_FORMAT}}" if until else ""
        yield f"the contest is paused since {since:{TIME_FORMAT}}{resumes}: {status.paused.reason}"
        yield "`knobeln run resume` lets it go on"
    elif status.awaited_number:
        yield f"the list of entries is final. {status.awaited_number.removesuffix('.')}"
        if status.at_work["run"] is False:
            yield "no process waits for the number: `knobeln run` goes on"
    elif status.phase is Phase.RUNNING and status.at_work["run"] is False:
        yield "the contest has begun, but no process plays it: `knobeln run` goes on"
    if status.mails_stopped:
        yield (
            f"no mail goes out: {status.mails_stopped.reason}; see `knobeln mail --state ready`, "
            "then `knobeln mail release --all`"
        )
    if status.mails_until:
        waiting = plural(status.mails[OutboxState.READY], "mail waits", "mails wait")
        yield (
            f"{waiting} for the limits of the smarthost (mail.limits), answers before reports; all"
            f" will have gone out by {status.mails_until:{TIME_FORMAT}}"
        )
    for program in status.programs_waiting:
        yield program.sentence(status.now)
    for build in status.long_builds:
        yield (
            f"version {build.number} of {build.team} has been building since"
            f" {build.since:{TIME_FORMAT}}; it ends by itself, by its processor time"
        )
    if status.free_disk_bytes < MIN_DISK_BYTES:
        yield f"only {status.free_disk_bytes / 1e6:,.0f} MB of disk are free: make room"
    if status.at_work["serve"] is False and status.work_waits:
        yield "work waits, and no process does it: `knobeln serve`"
    for part in status.missing_parts:
        yield f"no process does the part `{part}` of the server: `knobeln serve --only {part}`"


def _decision_advice(status: Status) -> Iterator[str]:
    if status.letters[LetterState.FAILED]:
        yield (
            "letters were set aside: `knobeln letters --state failed`, then `knobeln letters retry`"
        )
    if status.letters[LetterState.WAITING]:
        waiting = plural(status.letters[LetterState.WAITING], "letter waits", "letters wait")
        yield f"{waiting} for room within a limit of answers: `knobeln letters --state waiting`"
    if status.letters_left:
        yield f"{status.letters_left}: `knobeln doctor` says how to take them in"
    if status.teams_pending:
        waiting = plural(status.teams_pending, "registration waits", "registrations wait")
        yield (
            f"{waiting} for your decision: `knobeln teams`, then `knobeln teams accept` or `reject`"
        )
    if status.programs[SubmissionState.SET_ASIDE]:
        yield (
            "our machinery failed to build programs: see the journal, then `knobeln letters retry`"
        )
    if status.mails[OutboxState.FAILED]:
        yield "mails were refused for good or set aside: `knobeln mail --state failed`"
    if status.mails[OutboxState.BOUNCED]:
        yield "mails came back: `knobeln mail --state bounced`"
    if status.reports_held_since:
        yield "the reports of the contest day are held: `knobeln mail release`"
    elif status.mails[OutboxState.HELD]:
        yield "mails are held: `knobeln mail --state held`, then `knobeln mail release --all`"
    for number in status.waiting_summaries:
        yield f"round {number} waits for your words: `knobeln run summary {number} FILE`"
    if status.ignored:
        kinds = ", ".join(f"{count} {kind}" for kind, count in status.ignored.items())
        yield (
            f"letters were ignored ({kinds}): `knobeln letters --ignored`, then `knobeln letters"
            " let-in` where a person wrote"
        )


def _of_all(states: type[State], counts: Mapping[State, int]) -> dict[State, int]:
    """Add the states that have nothing in them."""
    return {state: counts.get(state, 0) for state in states}


def _recent(tx: Transaction, now: datetime, count: int, area: str) -> tuple[LogLine, ...]:
    return tuple(line for line in _newest(tx, count, area) if abs(now - line.at) < RECENT)


def _newest(tx: Transaction, count: int, area: str | None = None) -> tuple[LogLine, ...]:
    return tuple(contest_state.log(tx, count, area=area))


def next_date(dates: Dates, now: datetime, phase: Phase) -> str | None:
    """Return the name of the next date. After the start, which may be early, only the last date
    counts."""
    coming = [
        (date, name)
        for name, date in dates
        if date > now and (phase is Phase.OPEN or name == LAST_DATE)
    ]
    return min(coming)[1] if coming else None
