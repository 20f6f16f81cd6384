"""Programs that teams have sent, their builds, and the entries frozen for the contest day."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Annotated, Any, NamedTuple

from pydantic import ConfigDict, Field, TypeAdapter
from sqlalchemy import Row, Select, bindparam, case, func, insert, or_, select, union, update

from contest.errors import NotFound
from contest.ledger.entry_list import EntryList, SealedEntry
from contest.ledger.receipts import Effect
from contest.model import (
    BuildReport,
    Entry,
    LetterState,
    Participation,
    Submission,
    SubmissionState,
    Team,
    TeamState,
)
from contest.util.clock import Clock
from contest.util.program_files import ARCHIVES, IMAGE_NAME, is_archive
from store import participation
from store import teams as team_store
from store.claimant import Claimant
from store.claims import UNCLAIMED, Claims, ended, in_hand
from store.forget import GONE
from store.session import Transaction, record, tournament_of
from store.tables import (
    builds,
    entries,
    images,
    ledger,
    letters,
    sent_files,
    submissions,
    teams,
)

_REPORT: TypeAdapter[BuildReport] = TypeAdapter(  # built with the first report that is read
    Annotated[BuildReport, Field(discriminator="kind")], config=ConfigDict(defer_build=True)
)
# What a withdrawn team has sent stays where it is, and is compiled when the team comes back. That
# of others who do not take part is compiled, so that it can play as soon as they do.
NOT_WITHDRAWN = submissions.c.team_id.in_(
    select(teams.c.id).where(teams.c.state != TeamState.WITHDRAWN)
)
# Those that wait for a lost language (languages.py) hold up nobody.
_QUEUED = (
    (submissions.c.state == SubmissionState.QUEUED)
    & submissions.c.waits_for.is_(None)
    & NOT_WITHDRAWN
)
_OUT_OF_QUEUE: Mapping[str, object] = {**UNCLAIMED, "waits_for": None}


@dataclass(frozen=True)
class Version:
    """One version of a team's program and its build report."""

    submission: Submission
    report: BuildReport | None  # None: not compiled yet

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
    """Queue a new version for the compiler. `now`: the time of receipt.

    `files`: as they were sent, by name; `program`: the name of the program among them, if known.
    """
    values: Mapping[str, Any] = {
        "team_id": team_id,
        "letter_id": letter_id,
        "number": next_number(tx, team_id),
        "received_at": now,
        "state": SubmissionState.QUEUED,
        "program": program,
        "description": description,
        "repairs": tuple(repairs),
        "reply_to": reply_to,
    }
    submission_id = tx.execute(_ADD, values).scalar_one()
    rows = [
        {"submission_id": submission_id, "name": name, "data": data} for name, data in files.items()
    ]
    tx.execute(_ADD_FILES, rows)
    return Submission(submission_id, files=files, **values)


def next_number(tx: Transaction, team_id: int) -> int:
    """Return the number of the team's next version."""
    return (tx.execute(_NEWEST_NUMBER, {"team": team_id}).scalar() or 0) + 1


_OF_TEAM = submissions.c.team_id == bindparam("team")
_NEWEST_NUMBER = select(func.max(submissions.c.number)).where(_OF_TEAM)
_ADD = insert(submissions).returning(submissions.c.id)
_ADD_FILES = insert(sent_files)


def claims(claimant: Claimant, clock: Clock) -> Claims:
    """Return the claims of this process on the programs in the queue."""
    return Claims(submissions, _QUEUED, claimant, clock)


class Waiting(NamedTuple):
    """What a team has in the queue: how many programs, and the id of the one that has waited
    longest.

    `is_claimed`: a living process builds one of them. `has_image`: one of them is a container
    image.
    """

    team_id: int
    programs: int
    oldest: int
    is_claimed: bool
    has_image: bool


def any_waiting(tx: Transaction) -> bool:
    """Return whether a program waits to be compiled, and can be: its language is not lost."""
    return tx.execute(select(submissions.c.id).where(_QUEUED).limit(1)).first() is not None


def letters_without_effect(tx: Transaction, before: datetime) -> list[tuple[datetime, str]]:
    """Return the letters that came before then and wait for the desk, the organizer or the
    compiler: the time and the sha256 of each, in their order. Those of strangers that wait for a
    limit bring no program."""
    came = select(letters.c.received_at, letters.c.digest).where(letters.c.received_at < before)
    of_desk = came.where(letters.c.state == LetterState.NEW)
    of_organizer = came.where(letters.c.state == LetterState.FAILED, letters.c.network.is_(None))
    of_compiler = came.join(submissions).where(submissions.c.state == SubmissionState.QUEUED)
    rows = tx.execute(union(of_desk, of_organizer, of_compiler))
    return sorted((row.received_at, row.digest) for row in rows)


def waiting_teams(tx: Transaction, claims: Claims) -> tuple[Waiting, ...]:
    """Return the teams with programs in the queue; the team that has waited longest comes first."""
    oldest = func.min(submissions.c.id)
    claimed = func.sum(case((claims.is_free(tx), 0), else_=1)) > 0
    query = select(submissions.c.team_id, func.count(), oldest, claimed).where(_QUEUED)
    rows = tx.execute(query.group_by(submissions.c.team_id).order_by(oldest)).all()
    with_image = set(tx.execute(_TEAMS_WITH_IMAGE).scalars())
    return tuple(
        Waiting(row[0], row[1], row[2], bool(row[3]), row[0] in with_image) for row in rows
    )


_TEAMS_WITH_IMAGE = (
    select(submissions.c.team_id)
    .join(sent_files)
    .where(
        _QUEUED,
        or_(
            sent_files.c.name == IMAGE_NAME,
            *(func.lower(sent_files.c.name).endswith(suffix) for suffix in ARCHIVES),
        ),
    )
)


def built_between(tx: Transaction, since: datetime, now: datetime) -> dict[int, int]:
    """Return how many programs of each team were compiled after `since`, by team id.

    Builds dated after `now`, written while the clock was wrong, are ignored.
    """
    query = select(submissions.c.team_id, func.count()).join_from(submissions, builds)
    recent = (builds.c.built_at > since) & (builds.c.built_at <= now)
    rows = tx.execute(query.where(recent).group_by(submissions.c.team_id)).all()
    return {row[0]: row[1] for row in rows}


def get(tx: Transaction, submission_id: int) -> Submission:
    """Raises NotFound."""
    for submission in _submissions(tx, tx.execute(_WITH_ID, {"of": submission_id}).all()):
        return submission
    raise NotFound(f"there is no submission {submission_id}", hint="`knobeln programs` lists them")


_WITH_ID = select(submissions).where(submissions.c.id == bindparam("of"))


def queued_of(tx: Transaction, team_id: int) -> tuple[int, ...]:
    """Return the ids of the team's programs that wait for the compiler, oldest first."""
    return tuple(tx.execute(_QUEUED_OF, {"team": team_id}).scalars())


_QUEUED_OF = (
    select(submissions.c.id)
    .where(_OF_TEAM, submissions.c.state == SubmissionState.QUEUED)
    .order_by(submissions.c.id)
)


def queued_before(tx: Transaction, submission: Submission) -> tuple[int, ...]:
    """Return the ids of older programs of its team that wait for the compiler, oldest first."""
    return tuple(queued for queued in queued_of(tx, submission.team_id) if queued < submission.id)


def unclaimed_queue(tx: Transaction, team_id: int, claims: Claims) -> tuple[int, ...]:
    """Return the ids of the team's programs that wait for the compiler, oldest first; none if one
    is being built."""
    query = select(submissions.c.id, claims.is_free(tx)).where(
        submissions.c.team_id == team_id, _QUEUED
    )
    rows = tx.execute(query.order_by(submissions.c.id)).all()
    return tuple(number for number, _ in rows) if all(is_free for _, is_free in rows) else ()


def replace(tx: Transaction, old: Sequence[int]) -> None:
    """Take these programs out of the queue, because a newer one of their team replaces them."""
    query = update(submissions).where(submissions.c.id.in_(old))
    tx.execute(query.values(state=SubmissionState.REPLACED))


def replaced_by(tx: Transaction, submission: Submission) -> tuple[int, ...]:
    """Return the numbers of the versions just before this one that were never compiled because it
    replaced them."""
    query = select(submissions.c.number, submissions.c.state).where(
        submissions.c.team_id == submission.team_id, submissions.c.number < submission.number
    )
    rows = tx.execute(query.order_by(submissions.c.number.desc())).all()
    replaced = takewhile(lambda row: row.state == SubmissionState.REPLACED, rows)
    return tuple(row.number for row in replaced)[::-1]


class RunningBuild(NamedTuple):
    """A program that is being built: its team, its number, and since when."""

    team: str
    number: int
    since: datetime


def running_builds(tx: Transaction, now: datetime) -> tuple[RunningBuild, ...]:
    """Return the programs that processes build now, the oldest first."""
    oldest_first = sorted(in_hand(tx, submissions, now).items(), key=lambda row: row[1])
    built = [(get(tx, row), since) for row, since in oldest_first]
    return tuple(
        RunningBuild(team_store.get(tx, submission.team_id).name, submission.number, since)
        for submission, since in built
    )


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
    """Add a build. False: another worker was quicker, and nothing happens.

    `program`: the name of the program, if only the compiler could find it.
    """
    replaced = {"program": program} if program else {}
    done = tx.execute(
        update(submissions)
        .where(submissions.c.id == submission_id, submissions.c.state == SubmissionState.QUEUED)
        .values(state=SubmissionState.BUILT, **replaced, **_OUT_OF_QUEUE)
    )
    if done.rowcount != 1:
        return False
    ended(tx, submissions, submission_id)
    accepted = report.accepted and image is not None
    digest = report.image_digest
    known = select(images.c.digest).where(images.c.digest == digest)
    if image is not None and digest is not None and tx.execute(known).first() is None:
        tx.execute(insert(images).values(digest=digest, image=image))
    values = {"submission_id": submission_id, "built_at": now, "accepted": accepted}
    stored = _REPORT.dump_python(report, mode="json", by_alias=True)
    tx.execute(
        insert(builds).values(**values, report=stored, image_digest=digest if accepted else None)
    )
    return True


def set_aside(tx: Transaction, submission_id: int) -> bool:
    """Take a program out of the queue because our compile service failed on it. False: it has been
    built."""
    queued = (submissions.c.id == submission_id) & (submissions.c.state == SubmissionState.QUEUED)
    values = {"state": SubmissionState.SET_ASIDE, **_OUT_OF_QUEUE}
    ended(tx, submissions, submission_id)
    return tx.execute(update(submissions).where(queued).values(values)).rowcount == 1


def retry(tx: Transaction, team_id: int | None = None) -> int:
    """Put the programs that were set aside back into the queue; return how many. `team_id`: only
    its own."""
    query = update(submissions).where(submissions.c.state == SubmissionState.SET_ASIDE)
    if team_id is not None:
        query = query.where(submissions.c.team_id == team_id)
    return tx.execute(query.values(state=SubmissionState.QUEUED)).rowcount


def is_set_aside(tx: Transaction, team_id: int) -> bool:
    """Return whether a program of the team was set aside before it was built."""
    is_aside = submissions.c.state == SubmissionState.SET_ASIDE
    query = select(submissions.c.id).where(is_aside, submissions.c.team_id == team_id)
    return tx.execute(query.limit(1)).first() is not None


def newest_accepted(query: Select[Any]) -> Select[Any]:
    """Restrict a query on submissions to the newest accepted one of every team."""
    newest = select(submissions.c.team_id, func.max(submissions.c.number).label("number"))
    newest = newest.join(builds, builds.c.submission_id == submissions.c.id).where(
        builds.c.accepted
    )
    counting = newest.group_by(submissions.c.team_id).subquery()
    same = (counting.c.team_id == submissions.c.team_id) & (
        counting.c.number == submissions.c.number
    )
    return query.join(counting, same)


@dataclass(frozen=True)
class TeamsProgram:
    """What a team can be told about its program.

    `accepted`: its newest accepted version. `counting`: the version that plays, or would if the
    contest started now; `participation` says why an accepted one does not.
    """

    participation: Participation
    accepted: Submission | None
    counting: Submission | None

    @property
    def counts(self) -> int | None:
        """The number of the version that plays, or would if the contest started now."""
        return self.counting.number if self.counting else None


def program_of(tx: Transaction, team_id: int) -> TeamsProgram:
    """Return the team's program, and whether it plays."""
    takes_part, good = participation.of_team(tx, team_id), latest_good(tx, team_id)
    played = all_entries(tx)
    if not played:
        return TeamsProgram(takes_part, good, good if takes_part is Participation.ACTIVE else None)
    own = next((entry for entry in played if entry.team_id == team_id), None)
    return TeamsProgram(takes_part, good, entered(tx, own).submission if own else None)


def counting_numbers(tx: Transaction) -> dict[int, int]:
    """Return the numbers of the versions that play, or would if the contest started now, by team
    id."""
    query = select(submissions.c.team_id, submissions.c.number)
    if all_entries(tx):
        query = query.join_from(submissions, builds).join(
            entries, entries.c.build_id == builds.c.id
        )
        query = query.where(entries.c.tournament == tournament_of(tx))
    else:
        query = _that_play(tx, submissions.c.team_id, submissions.c.number)
    return {row.team_id: row.number for row in tx.execute(query)}


def latest_good(tx: Transaction, team_id: int) -> Submission | None:
    """Return the team's newest accepted version. It counts if the team takes part
    (`program_of`)."""
    rows = tx.execute(_LATEST_GOOD, {"team": team_id}).all()
    return next(iter(_submissions(tx, rows)), None)


_LATEST_GOOD = (
    select(submissions)
    .join(builds, builds.c.submission_id == submissions.c.id)
    .where(_OF_TEAM, builds.c.accepted)
    .order_by(submissions.c.number.desc())
    .limit(1)
)


def report_of(tx: Transaction, submission_id: int) -> BuildReport | None:
    """Return the build report; None if the program has not been compiled."""
    row = tx.execute(_REPORT_OF, {"of": submission_id}).first()
    return None if row is None else _report(row)


_REPORT_OF = select(builds.c.report).where(builds.c.submission_id == bindparam("of"))


def image_of(tx: Transaction, team_id: int, number: int) -> tuple[str, bytes]:
    """Return the digest and the bytes of the image of this version, an accepted one, of the team's
    program."""
    query = select(images.c.digest, images.c.image).join(
        builds, builds.c.image_digest == images.c.digest
    )
    query = query.join(submissions, submissions.c.id == builds.c.submission_id)
    row = tx.execute(
        query.where(submissions.c.team_id == team_id, submissions.c.number == number)
    ).one()
    return row.digest, row.image


def count_with_program(tx: Transaction) -> int:
    """Return how many teams have a version that counts."""
    return len(counting_numbers(tx))


def count_versions(tx: Transaction) -> dict[int, int]:
    """Return how many versions each team has sent, by team id; teams without any are missing."""
    rows = tx.execute(
        select(submissions.c.team_id, func.count()).group_by(submissions.c.team_id)
    ).all()
    return {row[0]: row[1] for row in rows}


def versions(tx: Transaction, team_id: int) -> tuple[Version, ...]:
    """Return all versions of a team's program, oldest first."""
    query = select(submissions, builds.c.report).outerjoin(
        builds, builds.c.submission_id == submissions.c.id
    )
    rows = tx.execute(
        query.where(submissions.c.team_id == team_id).order_by(submissions.c.number)
    ).all()
    return tuple(map(Version, _submissions(tx, rows), map(_report, rows)))


def withdrawn(tx: Transaction) -> tuple[Team, ...]:
    """Return the teams that have withdrawn after a program of theirs was accepted, unless their
    people were forgotten."""
    with_programs = accepted(tx)
    return tuple(
        team
        for team in team_store.all_teams(tx)
        if team.state is TeamState.WITHDRAWN
        and team.id in with_programs
        and team.registration.organization != GONE
    )


def accepted(tx: Transaction) -> dict[int, list[tuple[int, datetime]]]:
    """Return the numbers of all accepted versions and when they came, oldest first, by team id."""
    query = select(submissions.c.team_id, submissions.c.number, submissions.c.received_at)
    query = query.join(builds, builds.c.submission_id == submissions.c.id).where(builds.c.accepted)
    by_team: dict[int, list[tuple[int, datetime]]] = {}
    for team_id, number, received_at in tx.execute(query.order_by(submissions.c.number)):
        by_team.setdefault(team_id, []).append((number, received_at))
    return by_team


def clocks(tx: Transaction) -> set[tuple[str, bool]]:
    """Return the languages of accepted programs that talk, each with whether their time is
    counted."""
    language, engine = (builds.c.report[name].as_string() for name in ("language", "counted_by"))
    query = select(language, engine).distinct()
    query = query.where(builds.c.accepted, builds.c.report["kind"].as_string() == "text")
    return {(language, bool(engine)) for language, engine in tx.execute(query)}


def newest(
    tx: Transaction, count: int, *, team_id: int | None = None, state: SubmissionState | None = None
) -> Iterator[Version]:
    """Yield the newest submissions, newest first; only those of one team, or in one state, if
    given.

    They are read one by one, because the archives of many images would not fit into memory.
    """
    query = select(submissions, builds.c.report).outerjoin(
        builds, builds.c.submission_id == submissions.c.id
    )
    query = _chosen(query, team_id, state).order_by(submissions.c.id.desc()).limit(count)
    for row in tx.execute(query).all():
        yield from map(Version, _submissions(tx, [row]), [_report(row)])


def count(
    tx: Transaction, *, team_id: int | None = None, state: SubmissionState | None = None
) -> int:
    """Count the submissions; only those of one team, or in one state, if given."""
    query = _chosen(select(func.count()).select_from(submissions), team_id, state)
    return int(tx.execute(query).scalar_one())


def _chosen(query: Select[Any], team_id: int | None, state: SubmissionState | None) -> Select[Any]:
    if team_id is not None:
        query = query.where(submissions.c.team_id == team_id)
    if state is not None:
        query = query.where(submissions.c.state == state)
    return query


def freeze(tx: Transaction) -> tuple[Entry, ...]:
    """Make the version that counts of every team that takes part its entry, in order of
    registration."""
    playing = _that_play(
        tx, teams.c.name, teams.c.id.label("team_id"), builds.c.id.label("build_id")
    )
    rows = [
        {"tournament": tournament_of(tx), **row}
        for row in tx.execute(playing.order_by(teams.c.id)).mappings()
    ]
    if rows:
        tx.execute(insert(entries), rows)
    return all_entries(tx)


def entry_list(tx: Transaction) -> EntryList:
    """Return the entries if the contest started now, with the digests of their programs as the
    ledger has them.

    The digest is "" if the contest keeps no ledger.
    """
    # Joined here: without an index on the ledger's letters, a database reads the ledger for each
    # entry.
    accepted = select(ledger.c.letter, ledger.c.digest).where(
        ledger.c.effect == Effect.PROGRAM_ACCEPTED
    )
    programs = dict(map(tuple, tx.execute(accepted.order_by(ledger.c.number))))
    query = _that_play(tx, teams.c.name, letters.c.digest, builds.c.image_digest)
    query = query.join(letters, letters.c.id == submissions.c.letter_id)
    sealed = [
        SealedEntry(team, programs.get(letter, ""), image)
        for team, letter, image in tx.execute(query)
    ]
    return EntryList.of(sealed)


def _that_play(tx: Transaction, *columns: Any) -> Select[Any]:
    """Return a query for the newest accepted versions of the teams that take part: the list of
    entries and the entries themselves are both made of it."""
    query = (
        select(*columns)
        .select_from(submissions)
        .join(builds, builds.c.submission_id == submissions.c.id)
    )
    query = query.join(teams, teams.c.id == submissions.c.team_id)
    return newest_accepted(query.where(participation.takes_part(tx)))


def all_entries(tx: Transaction) -> tuple[Entry, ...]:
    query = select(entries.c.name, entries.c.team_id, entries.c.build_id, builds.c.image_digest)
    query = query.join(builds, builds.c.id == entries.c.build_id)
    rows = tx.execute(query.where(entries.c.tournament == tournament_of(tx)).order_by(entries.c.id))
    return tuple(Entry(*row) for row in rows)


def owned(tx: Transaction) -> frozenset[tuple[int, str]]:
    """Return the teams' ids, each with the digests of its newest accepted version and of its
    entry."""
    counting = select(submissions.c.team_id, builds.c.image_digest).join_from(submissions, builds)
    rows = tx.execute(newest_accepted(counting))
    entered = ((entry.team_id, entry.image_digest) for entry in all_entries(tx))
    return frozenset((*((row.team_id, row.image_digest) for row in rows), *entered))


def entered(tx: Transaction, entry: Entry) -> Version:
    """Return the version that plays as this entry."""
    query = select(submissions, builds.c.report).join(
        builds, builds.c.submission_id == submissions.c.id
    )
    row = tx.execute(query.where(builds.c.id == entry.build_id)).one()
    return Version(_submissions(tx, [row])[0], _report(row))


def participants(tx: Transaction) -> dict[str, Team]:
    """Return the teams with entries, by the names of their entries, in the order of
    registration."""
    by_id = {team.id: team for team in team_store.all_teams(tx)}
    return {entry.name: by_id[entry.team_id] for entry in all_entries(tx)}


def load_images(tx: Transaction, digests: Sequence[str]) -> Mapping[str, bytes]:
    """Return the images with these digests, by digest."""
    rows = tx.execute(select(images).where(images.c.digest.in_(set(digests))))
    return {row.digest: row.image for row in rows}


def archive_of(tx: Transaction, image_digest: str) -> bytes:
    """Return the archive of the container image with this digest. Raises NotFound."""
    query = select(sent_files.c.name, sent_files.c.data)
    query = query.join(builds, builds.c.submission_id == sent_files.c.submission_id)
    query = query.where(builds.c.image_digest == image_digest, builds.c.accepted)
    for name, data in tx.execute(query):
        if is_archive(name) and hashlib.sha256(data).hexdigest() == image_digest:
            return bytes(data)
    raise NotFound(f"there is no archive of the image {image_digest}")


def _report(row: Row[Any]) -> BuildReport | None:
    return None if row.report is None else _REPORT.validate_python(row.report)


def _submissions(tx: Transaction, rows: Sequence[Row[Any]]) -> tuple[Submission, ...]:
    """These rows of `submissions`, with their files."""
    if not rows:
        return ()
    files: defaultdict[int, dict[str, bytes]] = defaultdict(dict)
    for file in tx.execute(_FILES, {"ids": [row.id for row in rows]}):
        files[file.submission_id][file.name] = file.data
    return tuple(record(Submission, row, files=files[row.id]) for row in rows)


_FILES = (
    select(sent_files)
    .where(sent_files.c.submission_id.in_(bindparam("ids", expanding=True)))
    .order_by(sent_files.c.name)
)
