"""Mailed programs, what the compiler made of them, and the entries frozen for the contest day."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Row, Select, func, insert, select, update

from contest.errors import NotFound
from contest.file_names import is_archive
from contest.model import BuildReport, Entry, Submission, SubmissionState, Team, TeamState
from contest.store import decisions
from contest.store import teams as team_store
from contest.store.session import Transaction
from contest.store.tables import builds, entries, images, sent_files, submissions, teams

_REPORT = TypeAdapter(BuildReport)
# The teams that may play: what the others sent stays where it is, and counts again when they come back.
_PRESENT = submissions.c.team_id.in_(select(teams.c.id).where(teams.c.state != TeamState.WITHDRAWN))
_QUEUED = (submissions.c.state == SubmissionState.QUEUED) & _PRESENT


@dataclass(frozen=True)
class Version:
    """One version of a team's program and what became of it."""

    submission: Submission
    report: BuildReport | None  # None: still waits for the compiler

    @property
    def verdict(self) -> str:
        """ "accepted" or "rejected", and before the build the state of the submission."""
        if self.report is None:
            return str(self.submission.state)
        return "accepted" if self.report.accepted else "rejected"


def add(
    tx: Transaction,
    team_id: int,
    letter_id: int,
    files: Mapping[str, bytes],
    now: datetime,
    *,
    program: str = "",
    description: str = "",
    repairs: Sequence[str] = (),
    reply_to: str | None = None,
) -> Submission:
    """A new version in the queue of the compiler; `now` is the time of receipt (K47).

    `files` as they were sent, by name; `program` is the name of the program among them where it is known.
    """
    newest = tx.execute(
        select(func.max(submissions.c.number)).where(submissions.c.team_id == team_id)
    ).scalar()
    values = {
        "team_id": team_id,
        "letter_id": letter_id,
        "number": (newest or 0) + 1,
        "received_at": now,
        "state": SubmissionState.QUEUED,
        "program": program,
        "description": description,
        "repairs": list(repairs),
        "reply_to": reply_to,
    }
    row = tx.execute(insert(submissions).values(values).returning(*submissions.c)).one()
    tx.execute(
        insert(sent_files),
        [{"submission_id": row.id, "name": name, "data": data} for name, data in files.items()],
    )
    return _submission(row, files)


def next_queued(tx: Transaction) -> Submission | None:
    """The program that waits longest."""
    query = select(submissions).where(_QUEUED)
    return _first(tx, query.order_by(submissions.c.id))


def waiting_teams(tx: Transaction) -> tuple[int, ...]:
    """The teams with programs in the queue, by team id; whose program waits longest first."""
    queued = select(submissions.c.team_id).where(_QUEUED)
    query = queued.group_by(submissions.c.team_id).order_by(func.min(submissions.c.id))
    return tuple(tx.execute(query).scalars())


def built_between(tx: Transaction, since: datetime, now: datetime) -> dict[int, int]:
    """How many programs of each team were compiled after `since`, by team id; not those of a clock that was
    wrong, which have been compiled in the future."""
    query = select(submissions.c.team_id, func.count()).join(
        builds, builds.c.submission_id == submissions.c.id
    )
    recent = (builds.c.built_at > since) & (builds.c.built_at <= now)
    rows = tx.execute(query.where(recent).group_by(submissions.c.team_id)).all()
    return {row[0]: row[1] for row in rows}


def get(tx: Transaction, submission_id: int) -> Submission:
    """Raises NotFound."""
    found = _first(tx, select(submissions).where(submissions.c.id == submission_id))
    if found is None:
        raise NotFound(f"there is no submission number {submission_id}")
    return found


def queued_of(tx: Transaction, team_id: int) -> tuple[int, ...]:
    """The team's programs that wait for the compiler, by their ids, oldest first."""
    query = select(submissions.c.id).where(submissions.c.team_id == team_id)
    query = query.where(submissions.c.state == SubmissionState.QUEUED).order_by(submissions.c.id)
    return tuple(tx.execute(query).scalars())


def replace(tx: Transaction, old: Sequence[int]) -> None:
    """Take these waiting programs out of the queue: a newer one of their team takes their turn (S22)."""
    query = update(submissions).where(submissions.c.id.in_(old))
    tx.execute(query.values(state=SubmissionState.REPLACED))


def replaced_by(tx: Transaction, submission: Submission) -> tuple[int, ...]:
    """The numbers of the versions just before this one that were never compiled because of it."""
    query = select(submissions.c.number, submissions.c.state).where(
        submissions.c.team_id == submission.team_id, submissions.c.number < submission.number
    )
    rows = tx.execute(query.order_by(submissions.c.number.desc())).all()
    return tuple(row.number for row in takewhile(lambda row: row.state == SubmissionState.REPLACED, rows))[
        ::-1
    ]


def count_by_state(tx: Transaction) -> dict[SubmissionState, int]:
    rows = tx.execute(select(submissions.c.state, func.count()).group_by(submissions.c.state)).all()
    return {SubmissionState(state): count for state, count in rows}


def add_build(
    tx: Transaction,
    submission_id: int,
    report: BuildReport,
    image: bytes | None,
    now: datetime,
    program: str = "",
) -> bool:
    """Keep what the compiler made. False: another worker was quicker, and nothing happens.

    `program` is the name of the program, where only the compiler could tell it.
    """
    found = {"program": program} if program else {}
    done = tx.execute(
        update(submissions)
        .where(submissions.c.id == submission_id, submissions.c.state == SubmissionState.QUEUED)
        .values(state=SubmissionState.BUILT, **found)
    )
    if done.rowcount != 1:
        return False
    accepted = report.accepted and image is not None
    if image is not None and report.image_digest is not None:
        _keep_image(tx, report.image_digest, image)
    tx.execute(
        insert(builds).values(
            submission_id=submission_id,
            built_at=now,
            accepted=accepted,
            report=_REPORT.dump_python(report, mode="json"),
            image_digest=report.image_digest if accepted else None,
        )
    )
    return True


def _keep_image(tx: Transaction, digest: str, image: bytes) -> None:
    if tx.execute(select(images.c.digest).where(images.c.digest == digest)).first() is None:
        tx.execute(insert(images).values(digest=digest, image=image))


def set_aside(tx: Transaction, submission_id: int) -> None:
    """Our compile service broke on it: out of the queue, which goes on. What another worker built stays."""
    tx.execute(
        update(submissions)
        .where(submissions.c.id == submission_id, submissions.c.state == SubmissionState.QUEUED)
        .values(state=SubmissionState.SET_ASIDE)
    )


def retry(tx: Transaction) -> int:
    """Put back into the queue what was set aside; how many."""
    query = update(submissions).where(submissions.c.state == SubmissionState.SET_ASIDE)
    return tx.execute(query.values(state=SubmissionState.QUEUED)).rowcount


def that_count(query: Select[Any]) -> Select[Any]:
    """Of a query's submissions those that count: every team's newest that was accepted (K47)."""
    newest = select(submissions.c.team_id, func.max(submissions.c.number).label("number"))
    newest = newest.join(builds, builds.c.submission_id == submissions.c.id).where(builds.c.accepted)
    counting = newest.group_by(submissions.c.team_id).subquery()
    same = (counting.c.team_id == submissions.c.team_id) & (counting.c.number == submissions.c.number)
    return query.join(counting, same)


def latest_good(tx: Transaction, team_id: int) -> Submission | None:
    """The team's version that counts: the newest that was accepted (K47)."""
    query = select(submissions).join(builds, builds.c.submission_id == submissions.c.id)
    query = query.where(submissions.c.team_id == team_id, builds.c.accepted).order_by(
        submissions.c.number.desc()
    )
    return _first(tx, query)


def report_of(tx: Transaction, submission_id: int) -> BuildReport | None:
    """What the compiler made of it; None where it has not been compiled."""
    row = tx.execute(select(builds.c.report).where(builds.c.submission_id == submission_id)).first()
    return None if row is None else _report(row)


def image_that_counts(tx: Transaction, team_id: int) -> tuple[str, bytes] | None:
    """Digest and bytes of what plays for the team: of its latest version that was accepted."""
    good = latest_good(tx, team_id)
    if good is None:
        return None
    query = select(images.c.digest, images.c.image).join(builds, builds.c.image_digest == images.c.digest)
    row = tx.execute(query.where(builds.c.submission_id == good.id)).one()
    return row.digest, row.image


def count_with_program(tx: Transaction) -> int:
    """Teams that have a version that counts."""
    query = (
        select(func.count(submissions.c.team_id.distinct()))
        .join_from(submissions, builds)
        .where(builds.c.accepted, _PRESENT)
    )
    return tx.execute(query).scalar_one()


def digests_that_count(tx: Transaction) -> tuple[str, ...]:
    """The images of the versions that count, each once."""
    query = select(builds.c.image_digest).distinct().join_from(builds, submissions).where(_PRESENT)
    return tuple(tx.execute(that_count(query)).scalars())


def repairs_of(tx: Transaction, submission_id: int) -> tuple[str, ...]:
    """What had to be mended in the letter, in sentences."""
    return tuple(
        tx.execute(select(submissions.c.repairs).where(submissions.c.id == submission_id)).scalar_one()
    )


def reply_to_of(tx: Transaction, submission_id: int) -> str | None:
    """The Message-ID of the letter that brought the program."""
    found: str | None = tx.execute(
        select(submissions.c.reply_to).where(submissions.c.id == submission_id)
    ).scalar_one()
    return found


def count_versions(tx: Transaction) -> dict[int, int]:
    """How many versions each team has sent, by team id; teams without any are missing."""
    rows = tx.execute(select(submissions.c.team_id, func.count()).group_by(submissions.c.team_id)).all()
    return {row[0]: row[1] for row in rows}


def versions(tx: Transaction, team_id: int) -> tuple[Version, ...]:
    """All versions of a team's program, oldest first."""
    query = select(submissions, builds.c.report).outerjoin(builds, builds.c.submission_id == submissions.c.id)
    rows = tx.execute(query.where(submissions.c.team_id == team_id).order_by(submissions.c.number)).all()
    return tuple(map(Version, _submissions(tx, rows), map(_report, rows)))


def newest(
    tx: Transaction, count: int, *, team_id: int | None = None, state: SubmissionState | None = None
) -> Iterator[Version]:
    """The submissions that came last, newest first; only one team's, or only those in one state.

    One after the other: the archives of many images would not fit into memory.
    """
    query = select(submissions, builds.c.report).outerjoin(builds, builds.c.submission_id == submissions.c.id)
    if team_id is not None:
        query = query.where(submissions.c.team_id == team_id)
    if state is not None:
        query = query.where(submissions.c.state == state)
    for row in tx.execute(query.order_by(submissions.c.id.desc()).limit(count)).all():
        yield from map(Version, _submissions(tx, [row]), [_report(row)])


def freeze(tx: Transaction) -> tuple[Entry, ...]:
    """Make the latest good version of every team that is not banned its entry, in order of registration."""
    out = decisions.all_bans(tx)
    query = select(submissions.c.team_id, builds.c.id).join_from(submissions, builds)
    good = {row.team_id: row.id for row in tx.execute(that_count(query))}
    rows = [
        {"name": team.name, "team_id": team.id, "build_id": good[team.id]}
        for team in team_store.present(tx)
        if team.id in good and team.name not in out
    ]
    if rows:
        tx.execute(insert(entries), rows)
    return all_entries(tx)


def all_entries(tx: Transaction) -> tuple[Entry, ...]:
    query = select(entries.c.name, entries.c.team_id, entries.c.build_id, builds.c.image_digest)
    rows = tx.execute(query.join(builds, builds.c.id == entries.c.build_id).order_by(entries.c.id))
    return tuple(Entry(*row) for row in rows)


def entered(tx: Transaction, entry: Entry) -> Version:
    """The version that takes part as this entry."""
    query = select(submissions, builds.c.report).join(builds, builds.c.submission_id == submissions.c.id)
    row = tx.execute(query.where(builds.c.id == entry.build_id)).one()
    return Version(_submissions(tx, [row])[0], _report(row))


def participants(tx: Transaction) -> dict[str, Team]:
    """The teams that take part, by the names of their entries; in the order of registration."""
    by_id = {team.id: team for team in team_store.all_teams(tx)}
    return {entry.name: by_id[entry.team_id] for entry in all_entries(tx)}


def load_images(tx: Transaction, digests: Sequence[str]) -> Mapping[str, bytes]:
    """The images by their digests."""
    rows = tx.execute(select(images).where(images.c.digest.in_(set(digests))))
    return {row.digest: row.image for row in rows}


def archive_of(tx: Transaction, image_digest: str) -> bytes:
    """The archive that the container image of this digest was unpacked from. Raises NotFound."""
    query = select(sent_files.c.name, sent_files.c.data).join(
        builds, builds.c.submission_id == sent_files.c.submission_id
    )
    query = query.where(builds.c.image_digest == image_digest, builds.c.accepted)
    sent = (row.data for row in tx.execute(query) if is_archive(row.name))
    archive: bytes | None = next(
        (data for data in sent if hashlib.sha256(data).hexdigest() == image_digest), None
    )
    if archive is None:
        raise NotFound(f"there is no archive of the image {image_digest}")
    return archive


def _report(row: Row[Any]) -> BuildReport | None:
    return None if row.report is None else _REPORT.validate_python(row.report)


def _first(tx: Transaction, query: Select[Any]) -> Submission | None:
    found = _submissions(tx, tx.execute(query.limit(1)).all())
    return found[0] if found else None


def _submissions(tx: Transaction, rows: Sequence[Row[Any]]) -> tuple[Submission, ...]:
    """These rows of `submissions`, with their files."""
    query = select(sent_files).where(sent_files.c.submission_id.in_([row.id for row in rows]))
    files: defaultdict[int, dict[str, bytes]] = defaultdict(dict)
    for file in tx.execute(query.order_by(sent_files.c.name)):
        files[file.submission_id][file.name] = file.data
    return tuple(_submission(row, files[row.id]) for row in rows)


def _submission(row: Row[Any], files: Mapping[str, bytes]) -> Submission:
    return Submission(
        row.id,
        row.team_id,
        row.letter_id,
        row.number,
        row.received_at,
        files,
        row.program,
        row.description,
        SubmissionState(row.state),
    )
