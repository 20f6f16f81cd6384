"""The lists of entries of the tournament that all teams were told."""

from __future__ import annotations

from dataclasses import astuple
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, func, insert, select

from contest.language import noted
from contest.ledger.entry_list import AbsentTeam, EntryList, SealedEntry, SealedList
from contest.model import Ban, Participation
from store import decisions, languages, participation, submissions
from store import teams as team_store
from store.session import Transaction, tournament_of
from store.tables import entry_lists


def add(tx: Transaction, now: datetime, *, is_final: bool) -> SealedList:
    """Make a list of the entries as they are now, and keep it."""
    entries = submissions.entry_list(tx)
    listed = entries.by_team
    bans, waiting = decisions.all_bans(tx), languages.teams_waiting(tx)
    participating = participation.of_all(tx)
    absent = tuple(
        AbsentTeam(
            team.name,
            _why_absent(participating[team.id], bans.get(team.name), is_waiting=team.id in waiting),
        )
        for team in sorted(team_store.all_teams(tx), key=lambda team: team.name)
        if team.name not in listed
    )
    sealed = SealedList(count(tx) + 1, now, is_final, entries, absent)
    values = {
        "tournament": tournament_of(tx),
        "number": sealed.number,
        "at": now,
        "is_final": is_final,
    }
    rows = {"entries": list(map(astuple, entries.entries)), "absent": list(map(astuple, absent))}
    tx.execute(insert(entry_lists).values(**values, **rows))
    return sealed


def count(tx: Transaction) -> int:
    """Return how many lists there are."""
    return int(tx.execute(_of(tx, select(func.count()))).scalar_one())


def newest(tx: Transaction) -> SealedList | None:
    """Return the newest list; None before the first."""
    row = tx.execute(
        _of(tx, select(entry_lists)).order_by(entry_lists.c.number.desc()).limit(1)
    ).first()
    return None if row is None else _sealed(row)


def all_lists(tx: Transaction) -> tuple[SealedList, ...]:
    """Return all lists, oldest first."""
    return tuple(
        map(_sealed, tx.execute(_of(tx, select(entry_lists)).order_by(entry_lists.c.number)))
    )


def _of(tx: Transaction, query: Select[Any]) -> Select[Any]:
    return query.where(entry_lists.c.tournament == tournament_of(tx))


def _why_absent(why: Participation, ban: Ban | None, *, is_waiting: bool) -> str:
    if ban is not None:
        return f"{ban.kind} on {ban.at:%Y-%m-%d}: {ban.reason}"
    match why:
        case Participation.UNHEARD:
            return noted("nothing was heard from its mail-address")
        case Participation.PENDING:
            return noted("its registration waits for the organizer")
        case Participation.WITHDRAWN:
            return noted("it is withdrawn")
    if is_waiting:
        return noted(
            "its program waits, because the host cannot build it; that is no fault of the team"
        )
    return noted("no accepted program")


def _sealed(row: Row[Any]) -> SealedList:
    entries = EntryList(tuple(SealedEntry(*fields) for fields in row.entries))
    absent = tuple(AbsentTeam(*fields) for fields in row.absent)
    return SealedList(row.number, row.at, row.is_final, entries, absent)
