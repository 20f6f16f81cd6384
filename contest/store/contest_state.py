"""The state of the contest (one row), and the journal of what has happened."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypedDict, Unpack

from sqlalchemy import Row, Select, func, insert, select, update

from contest.config.settings import SettingsValues
from contest.model import ContestState, LogLine, Phase
from contest.public_number.beacon import PublicNumber
from contest.seeds import ContestSeed
from contest.store.session import Transaction
from contest.store.tables import contest, journal


def create(tx: Transaction, seed: bytes | None = None) -> None:
    """Insert the row of a new contest, with a seed, a secret and a signing key of 32 bytes each.

    The seed is published later.
    """
    tx.execute(insert(contest).values(id=1, phase=Phase.OPEN, **_drawn(seed)))


def exists(tx: Transaction) -> bool:
    """Whether the contest's row exists; `init` inserts it last."""
    return tx.execute(select(contest.c.id)).first() is not None


def state(tx: Transaction) -> ContestState:
    row = tx.execute(_STATE).one()
    is_open = row.entries_root is None or row.number is None
    seed = ContestSeed(row.seed, row.entries_root or b"", row.number or b"", is_open)
    return ContestState(Phase(row.phase), seed, row.started_at, row.finished_at)


_STATE = select(
    contest.c.phase,
    contest.c.seed,
    contest.c.entries_root,
    contest.c.number,
    contest.c.started_at,
    contest.c.finished_at,
)


def seal(tx: Transaction, entries_root: bytes, *, has_number: bool) -> None:
    """Keep the root of the final list of entries. `has_number`: whether a public number will be drawn."""
    tx.execute(update(contest).values(entries_root=entries_root, number=None if has_number else b""))


def set_number(tx: Transaction, number: PublicNumber) -> None:
    """The public number was drawn; now the contest has its seed."""
    tx.execute(update(contest).values(number=number.value, number_source=number.source))


def number(tx: Transaction) -> PublicNumber | None:
    """The public number; None: it is not known yet, or the contest has none."""
    row = tx.execute(select(contest.c.number, contest.c.number_source)).one()
    return PublicNumber(row.number, row.number_source) if row.number_source is not None else None


def secret(tx: Transaction) -> bytes:
    """32 bytes that stay secret, even after the seed was published."""
    return bytes(tx.execute(_SECRET).scalar_one())


_SECRET = select(contest.c.secret)


def reseed(tx: Transaction) -> None:
    """Draw another seed, secret and signing key, in a copy of the contest for a rehearsal."""
    tx.execute(update(contest).values(**_drawn(None)))


def _drawn(seed: bytes | None) -> dict[str, bytes]:
    return {
        "seed": seed or secrets.token_bytes(32),
        "secret": secrets.token_bytes(32),
        "signing_key": secrets.token_bytes(32),  # any 32 bytes are a private key of Ed25519
    }


def start(tx: Transaction, settings: SettingsValues, now: datetime) -> None:
    """Start the contest with these settings; later changes of contest.toml have no effect on it."""
    tx.execute(update(contest).values(phase=Phase.RUNNING, started_at=now, settings=settings))


def started_settings(tx: Transaction) -> SettingsValues | None:
    """The settings with which the contest was started; None before its start."""
    found: SettingsValues | None = tx.execute(select(contest.c.settings)).scalar_one()
    return found


def finish(tx: Transaction, now: datetime) -> None:
    tx.execute(update(contest).values(phase=Phase.FINISHED, finished_at=now))


def reopen(tx: Transaction) -> None:
    """Make a finished contest running again, because a part of it is to be played again."""
    tx.execute(
        update(contest).where(contest.c.phase == Phase.FINISHED).values(phase=Phase.RUNNING, finished_at=None)
    )


# --- the journal -------------------------------------------------------------------------------------------
def note(
    tx: Transaction, area: str, text: str, now: datetime, *, actor: str = "", whom: str = "", reason: str = ""
) -> None:
    """Add a line to the journal. `area`: the kind of event; `actor`: the person, or "" for the program."""
    who = {"actor": actor or None, "whom": whom or None, "reason": reason or None}
    tx.execute(insert(journal).values(area=area, text=text, at=now, **who))


class Chosen(TypedDict, total=False):
    """Which lines of the journal; None, as by default, is any.

    `by_somebody`: True for actions of people only, False for those of the program only.
    `whom`: only actions on this team, round or date. `since`: only from this time on.
    """

    area: str | None
    by_somebody: bool | None
    whom: str | None
    since: datetime | None


def log(tx: Transaction, count: int, **chosen: Unpack[Chosen]) -> tuple[LogLine, ...]:
    """The newest lines of the journal, at most `count`, the oldest of them first."""
    query = _chosen(select(journal), **chosen).order_by(journal.c.id.desc()).limit(count)
    return tuple(map(_line, reversed(tx.execute(query).all())))


def count_log(tx: Transaction, **chosen: Unpack[Chosen]) -> int:
    """Count these lines of the journal."""
    query = _chosen(select(func.count()).select_from(journal), **chosen)
    return int(tx.execute(query).scalar_one())


def _chosen(
    query: Select[Any],
    area: str | None = None,
    by_somebody: bool | None = None,
    whom: str | None = None,
    since: datetime | None = None,
) -> Select[Any]:
    if area is not None:
        query = query.where(journal.c.area == area)
    if by_somebody is not None:
        query = query.where(journal.c.actor.is_not(None) if by_somebody else journal.c.actor.is_(None))
    if whom is not None:
        query = query.where(journal.c.whom == whom)
    if since is not None:
        query = query.where(journal.c.at >= since)
    return query


def areas_of_log(tx: Transaction) -> tuple[str, ...]:
    """The kinds of lines that the journal has."""
    return tuple(tx.execute(select(journal.c.area).distinct().order_by(journal.c.area)).scalars())


def _line(row: Row[Any]) -> LogLine:
    return LogLine(row.id, row.at, row.area, row.text, row.actor or "", row.whom or "", row.reason or "")


def journal_of(tx: Transaction, areas: Sequence[str]) -> tuple[LogLine, ...]:
    """All lines of these areas, oldest first."""
    query = select(journal).where(journal.c.area.in_(areas)).order_by(journal.c.id)
    return tuple(map(_line, tx.execute(query)))
