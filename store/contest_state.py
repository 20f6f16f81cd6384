"""The contest and its tournaments, and the journal of what has happened."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import Select, bindparam, func, insert, select, true, update

from contest.config.settings import SettingsValues
from contest.errors import NotNow
from contest.model import ContestState, LogLine, Phase, SeasonTable
from contest.model.as_json import adapter, plain
from contest.public_number.beacon import PublicNumber
from contest.schema.sections import Season
from contest.seeds import MAX_TOURNAMENTS, ContestSeed, secret_before
from store.session import Transaction, record, set_tournament, tournament_of
from store.tables import contest, journal, tournaments

# Of the journal:
LIMITS_AREA = "limits"  # how the limits of sandboxes hold
LEFT_AREA = "left"  # what is left in a mailbox; `whom` is one of the addresses, "" when nothing is


def create(tx: Transaction, seed: bytes | None = None) -> None:
    """Insert the row of a new contest, with a seed, a secret and a signing key of 32 bytes each.

    The seed is published later. The first tournament begins.
    """
    tx.execute(insert(contest).values(id=1, **_drawn(seed)))
    tx.execute(insert(tournaments).values(id=1, phase=Phase.OPEN))


def exists(tx: Transaction) -> bool:
    """Return whether the contest's row exists; `init` inserts it last."""
    return tx.execute(select(contest.c.id)).first() is not None


def state(tx: Transaction) -> ContestState:
    """Return the state of the tournament."""
    number = tournament_of(tx)
    row = tx.execute(_STATE, {"tournament": number}).one()
    is_open = row.entries_root is None or row.number is None
    secret = row.seed if number == 1 else secret_before(row.last_seed, MAX_TOURNAMENTS - number)
    seed = ContestSeed(secret, row.entries_root or b"", row.number or b"", is_open, number)
    return ContestState(Phase(row.phase), seed, row.started_at, row.finished_at, number)


_STATE = (
    select(
        contest.c.seed,
        contest.c.last_seed,
        tournaments.c.phase,
        tournaments.c.entries_root,
        tournaments.c.number,
        tournaments.c.started_at,
        tournaments.c.finished_at,
    )
    .join_from(contest, tournaments, true())
    .where(tournaments.c.id == bindparam("tournament"))
)


def change(tx: Transaction, **values: object) -> None:
    """Change these columns of the tournament's row."""
    tx.execute(update(tournaments).where(tournaments.c.id == tournament_of(tx)).values(values))


def seal(tx: Transaction, entries_root: bytes, *, has_number: bool) -> None:
    """Keep the root of the final list of entries. `has_number`: whether a public number will be
    drawn."""
    change(tx, entries_root=entries_root, number=None if has_number else b"")


def set_number(tx: Transaction, number: PublicNumber) -> None:
    """The public number was drawn; now the tournament has its seed."""
    change(tx, number=number.value, number_source=number.source)


def number(tx: Transaction) -> PublicNumber | None:
    """Return the public number; None: it is not known yet, or the contest has none."""
    source = column(tx, "number_source")
    return None if source is None else PublicNumber(column(tx, "number"), source)


def secret(tx: Transaction) -> bytes:
    """32 bytes that stay secret, even after the seed was published."""
    return bytes(tx.execute(_SECRET).scalar_one())


_SECRET = select(contest.c.secret)


def reseed(tx: Transaction) -> None:
    """Draw another seed, secret and signing key, in a copy of the contest for a rehearsal."""
    tx.execute(update(contest).values(**_drawn(None)))


def _drawn(seed: bytes | None) -> dict[str, bytes | None]:
    last = secrets.token_bytes(32)
    return {
        "seed": seed or secret_before(last, MAX_TOURNAMENTS - 1),
        "last_seed": None if seed else last,
        "secret": secrets.token_bytes(32),
        # Any 32 bytes are a private key of Ed25519. A demonstration of the same seed has the same
        # receipts.
        "signing_key": sha256(b"signing key" + seed).digest() if seed else secrets.token_bytes(32),
    }


def start(tx: Transaction, settings: SettingsValues, now: datetime) -> None:
    """Start the tournament with these settings; later changes of contest.toml have no effect on
    it."""
    change(tx, phase=Phase.RUNNING, started_at=now, settings=settings)


def started_settings(tx: Transaction) -> SettingsValues | None:
    """Return the settings with which the tournament was started; None before its start."""
    settings: SettingsValues | None = column(tx, "settings")
    return settings


def finish(tx: Transaction, now: datetime) -> None:
    change(tx, phase=Phase.FINISHED, finished_at=now)


def reopen(tx: Transaction) -> None:
    """Make a finished tournament running again, because a part of it is to be played again."""
    set_season(tx, None)
    if state(tx).phase is Phase.FINISHED:
        change(tx, phase=Phase.RUNNING, finished_at=None)


def is_season_over(tx: Transaction, season: Season) -> bool:
    """Return whether the last tournament is finished."""
    query = select(tournaments.c.phase).where(tournaments.c.id == season.tournaments)
    return tx.execute(query).scalar_one_or_none() == Phase.FINISHED


def begin_next(tx: Transaction) -> None:
    """Begin the next tournament, whose dates are moved as those of this one are. The transaction is
    about it from now on.

    Raises NotNow if the contest was made with a given seed.
    """
    if tx.execute(select(contest.c.last_seed)).scalar_one() is None:
        raise NotNow("the seed of this contest was given, so it has no further tournament")
    following = tournament_of(tx) + 1
    moved = column(tx, "moved_dates")
    tx.execute(insert(tournaments).values(id=following, phase=Phase.OPEN, moved_dates=moved))
    set_tournament(tx, following)


def set_season(tx: Transaction, table: SeasonTable | None) -> None:
    """End the season with this table. None: it goes on, because a part is to be played again."""
    tx.execute(update(contest).values(season=table and plain(table, SeasonTable)))


def get_season(tx: Transaction) -> SeasonTable | None:
    season = tx.execute(select(contest.c.season)).scalar_one()
    return None if season is None else adapter(SeasonTable).validate_python(season)


def mark(tx: Transaction) -> str:
    """Return the prefix of the keys of mails about this tournament; "" for the first."""
    number = tournament_of(tx)
    return f"tournament/{number}/" if number > 1 else ""


def column(tx: Transaction, name: str) -> Any:
    """Return the value of this column in the tournament's row."""
    return tx.execute(_OF_TOURNAMENT[name], {"tournament": tournament_of(tx)}).scalar_one_or_none()


_OF_TOURNAMENT = {
    field.name: select(field).where(tournaments.c.id == bindparam("tournament"))
    for field in tournaments.c
}


# --- the journal ----------------------------------------------------------------------------------
def note(
    tx: Transaction,
    area: str,
    text: str,
    now: datetime,
    *,
    actor: str = "",
    whom: str = "",
    reason: str = "",
) -> None:
    """Add a line to the journal. `area`: the kind of event; `actor`: the person, or "" for the
    program."""
    tx.execute(
        insert(journal).values(area=area, text=text, at=now, actor=actor, whom=whom, reason=reason)
    )


def log(
    tx: Transaction, count: int, *, area: str | None = None, whom: str | None = None
) -> tuple[LogLine, ...]:
    """Return the newest lines of the journal, at most `count`, the oldest of them first.

    Only those of one area, or about this team, round or date, if given.
    """
    query = _chosen(select(journal), area, whom).order_by(journal.c.id.desc()).limit(count)
    return tuple(record(LogLine, row) for row in reversed(tx.execute(query).all()))


def count_log(tx: Transaction, *, area: str | None, whom: str | None) -> int:
    """Count these lines of the journal."""
    return int(
        tx.execute(_chosen(select(func.count()).select_from(journal), area, whom)).scalar_one()
    )


def _chosen(query: Select[Any], area: str | None, whom: str | None) -> Select[Any]:
    if area is not None:
        query = query.where(journal.c.area == area)
    if whom is not None:
        query = query.where(journal.c.whom == whom)
    return query


def times_moved(tx: Transaction) -> Mapping[str, int]:
    """Return how often each date was moved, by its name, in this tournament and those before."""
    of_dates = _chosen(select(journal.c.whom, func.count()), "dates", None)
    rows = tx.execute(of_dates.where(journal.c.whom != "").group_by(journal.c.whom))
    return {row[0]: row[1] for row in rows}


def areas_of_log(tx: Transaction) -> tuple[str, ...]:
    """Return the kinds of lines that the journal has."""
    return tuple(tx.execute(select(journal.c.area).distinct().order_by(journal.c.area)).scalars())


def journal_of(tx: Transaction, areas: Sequence[str]) -> tuple[LogLine, ...]:
    """Return all lines of these areas, oldest first."""
    query = select(journal).where(journal.c.area.in_(areas)).order_by(journal.c.id)
    return tuple(record(LogLine, row) for row in tx.execute(query))
