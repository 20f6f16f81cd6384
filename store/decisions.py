"""The organizer's decisions that are a state of the contest: pause, bans, moved dates, held
reports.

`mailserver.organizer_actions` makes them, `mailserver.write_action` writes each with a line in
the journal. A run in another process reads them in each of its transactions, so it sees a change
at its next step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, insert, select, update

from contest.config.settings import Settings
from contest.language import speaking
from contest.mail import calendar
from contest.model import Attachment, Ban, BanKind, Order, Outgoing, Pause, TimeChange
from contest.model.as_json import adapter, plain
from contest.schema.sections import Dates, Programs, Season
from store import contest_state
from store.session import Transaction, record, tournament_of
from store.tables import bans, confirmations, contest, teams


@cache
def _column(name: str) -> Select[Any]:
    """Return a query for this column of the contest's one row."""
    return select(contest.c[name])


# --- pause ----------------------------------------------------------------------------------------
def pause(tx: Transaction, reason: str, now: datetime, until: datetime | None = None) -> bool:
    """Start nothing new until `resume`, or until the time `until`. False: the contest was paused
    already."""
    query = update(contest).where(contest.c.paused_at.is_(None))
    done = tx.execute(query.values(paused_at=now, pause_reason=reason, paused_until=until))
    return done.rowcount == 1


def resume(tx: Transaction) -> bool:
    """End the pause. False: the contest was not paused."""
    query = update(contest).where(contest.c.paused_at.is_not(None))
    return (
        tx.execute(query.values(paused_at=None, pause_reason=None, paused_until=None)).rowcount == 1
    )


def paused(tx: Transaction) -> Pause | None:
    row = tx.execute(
        select(contest.c.paused_at, contest.c.pause_reason, contest.c.paused_until)
    ).one()
    return (
        None
        if row.paused_at is None
        else Pause(row.paused_at, row.pause_reason or "", row.paused_until)
    )


# --- a run on request -----------------------------------------------------------------------------
def order_run(tx: Transaction, now: datetime | None) -> None:
    """Tell `serve` to start the run; None takes the order back."""
    tx.execute(update(contest).values(run_ordered_at=now))


def run_ordered(tx: Transaction) -> datetime | None:
    ordered_at: datetime | None = tx.execute(_column("run_ordered_at")).scalar_one()
    return ordered_at


# --- reports --------------------------------------------------------------------------------------
def hold_reports(tx: Transaction, since: datetime | None) -> None:
    """Hold reports from then on; None: let them go out again."""
    tx.execute(update(contest).values(reports_held_at=since))


def reports_held(tx: Transaction) -> datetime | None:
    held_at: datetime | None = tx.execute(_column("reports_held_at")).scalar_one_or_none()
    return held_at


# --- bans -----------------------------------------------------------------------------------------
def ban(tx: Transaction, team_id: int, kind: BanKind, reason: str, now: datetime) -> Ban:
    values = {
        "team_id": team_id,
        "kind": kind,
        "reason": reason,
        "at": now,
        "tournament": tournament_of(tx),
    }
    ban_id = tx.execute(insert(bans).values(values).returning(bans.c.id)).scalar_one()
    return Ban(ban_id, team_id, kind, reason, now)


def lift(tx: Transaction, ban_id: int, now: datetime) -> None:
    tx.execute(update(bans).where(bans.c.id == ban_id).values(lifted_at=now))


def ban_of(tx: Transaction, team_id: int) -> Ban | None:
    """Return the team's ban; None if it has none."""
    return next((ban for ban in all_bans(tx).values() if ban.team_id == team_id), None)


def all_bans(tx: Transaction) -> dict[str, Ban]:
    """Return the bans of this tournament that have not been lifted, by the team's name."""
    rows = tx.execute(_BANS, {"tournament": tournament_of(tx)})
    return {row.name: record(Ban, row) for row in rows}


_ALL_BANS = (
    select(bans, teams.c.name)
    .join(teams, teams.c.id == bans.c.team_id)
    .where(bans.c.tournament == bindparam("tournament"))
    .order_by(bans.c.id)
)
_BANS = _ALL_BANS.where(bans.c.lifted_at.is_(None))


def ban_history(tx: Transaction) -> tuple[tuple[str, Ban], ...]:
    """Return all bans of this tournament in their order, lifted ones too, with the names of the
    teams."""
    rows = tx.execute(_ALL_BANS, {"tournament": tournament_of(tx)})
    return tuple((row.name, record(Ban, row)) for row in rows)


# --- the time for a move --------------------------------------------------------------------------
def time_changes(tx: Transaction) -> tuple[TimeChange, ...]:
    """Return the changes since the contest started, in their order."""
    changes = contest_state.column(tx, "time_changes") or ()
    return tuple(
        TimeChange(datetime.fromisoformat(changed_at), before, after)
        for changed_at, before, after in changes
    )


def change_time(tx: Transaction, before: float, after: float, now: datetime) -> None:
    known = [[change.at.isoformat(), change.before, change.after] for change in time_changes(tx)]
    contest_state.change(tx, time_changes=[*known, [now.isoformat(), before, after]])


def programs_now(tx: Transaction, programs: Programs) -> Programs:
    """Return the limits for programs, with the time for a move as the organizer changed it last."""
    changes = time_changes(tx)
    return programs.model_copy(update={"seconds": changes[-1].after}) if changes else programs


# --- dates ----------------------------------------------------------------------------------------
MovedDate = tuple[datetime, datetime]
"""The date in contest.toml when it was moved, and the date that counts instead."""


def moved_dates(tx: Transaction) -> Mapping[str, MovedDate]:
    """Return the dates that the organizer has moved, by their names in contest.toml."""
    moves = contest_state.column(tx, "moved_dates") or {}
    return {
        name: (datetime.fromisoformat(written), datetime.fromisoformat(moved))
        for name, (written, moved) in moves.items()
    }


def move_date(
    tx: Transaction, name: str, written: datetime, moved: datetime, season: Season
) -> None:
    """Move a date of the tournament to `moved`, and with it those of the later ones; this counts as
    long as contest.toml has `written` for it."""
    moved -= season.later(tournament_of(tx), name)
    known = contest_state.column(tx, "moved_dates") or {}
    contest_state.change(tx, moved_dates={**known, name: [written.isoformat(), moved.isoformat()]})


def dates_now(tx: Transaction, written: Dates, season: Season) -> Dates:
    """Return the tournament's dates: those of contest.toml, with moved dates in their places.

    If a date was changed in contest.toml after it was moved, the file counts. If the moved dates
    and the file together make no valid calendar, the file counts for all dates.
    """
    all_moved = moved_dates(tx).items()
    changed = {
        name: moved for name, (before, moved) in all_moved if getattr(written, name) == before
    }
    try:
        first = Dates.model_validate({**written.model_dump(), **changed}) if changed else written
    except ValueError:
        first = written
    return season.dates_of(tournament_of(tx), first)


def written_dates(tx: Transaction, now: Dates, season: Season) -> Dates:
    """Return the dates of contest.toml, from which `dates_now` makes these."""
    moved, number = moved_dates(tx), tournament_of(tx)
    first = {name: date - season.later(number, name) for name, date in now}
    before = {name: was for name, (was, after) in moved.items() if first[name] == after}
    return now.model_copy(update={**first, **before})


def calendar_file(tx: Transaction, settings: Settings, now: datetime) -> Attachment:
    """Return the dates of the settings as `contest.ics`, in the language that is spoken."""
    commitment = contest_state.state(tx).seed.commitment
    return calendar.file(settings, commitment, contest_state.times_moved(tx), now)


def with_calendar(
    tx: Transaction, mails: Iterable[Outgoing], settings: Settings, now: datetime
) -> Iterator[Outgoing]:
    """Yield the mails, each with `contest.ics` in its reader's language."""
    for mail in mails:
        with speaking(mail.language or settings.contest.language):
            dates = calendar_file(tx, settings, now)
        yield replace(mail, attachments=(*mail.attachments, dates))


def in_force(tx: Transaction, written: Dates, settings: Settings) -> Settings:
    """Return the settings with the organizer's decisions in force: `dates_now` and
    `programs_now`."""
    dates, programs = dates_now(tx, written, settings.season), programs_now(tx, settings.programs)
    return settings.model_copy(update={"dates": dates, "programs": programs})


# --- the organizer's letters ----------------------------------------------------------------------
def set_organizer_digest(tx: Transaction, digest: str | None) -> None:
    """Set the digest of the string that identifies the organizer in letters; None: accept no such
    letters."""
    tx.execute(update(contest).values(organizer_digest=digest))


def organizer_digest(tx: Transaction) -> str | None:
    digest: str | None = tx.execute(_column("organizer_digest")).scalar_one()
    return digest


def ask_confirmation(tx: Transaction, token_digest: str, order: Order, now: datetime) -> None:
    values = {"token_digest": token_digest, "order": plain(order, Order), "asked_at": now}
    tx.execute(insert(confirmations).values(values))


@dataclass(frozen=True)
class Confirmation:
    """What a token confirms; `used_at`: None = not used yet."""

    order: Order
    asked_at: datetime
    used_at: datetime | None


def confirmation(tx: Transaction, token_digest: str) -> Confirmation | None:
    """Return what the token with this digest confirms."""
    row = tx.execute(
        select(confirmations).where(confirmations.c.token_digest == token_digest)
    ).first()
    return None if row is None else record(Confirmation, row)


def take_confirmation(
    tx: Transaction, token_digest: str, now: datetime, max_age: timedelta
) -> Order | None:
    """Use a token: the order that it confirms, or None if it is unknown, used or older than
    `max_age`.

    One that is as far ahead was given out while a clock was wrong, and would never grow old.
    """
    query = update(confirmations).where(
        confirmations.c.token_digest == token_digest,
        confirmations.c.used_at.is_(None),
        confirmations.c.asked_at > now - max_age,
        confirmations.c.asked_at < now + max_age,
    )
    values = tx.execute(
        query.values(used_at=now).returning(confirmations.c.order)
    ).scalar_one_or_none()
    order: Order | None = None if values is None else adapter(Order).validate_python(values)
    return order
