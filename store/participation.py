"""Which teams take part in the tournament, and why the others do not.

Lists of entries, the entries themselves, mails, pages and the organizer's tables all ask here, so
that they cannot say different things of one team.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, case, select

from contest.model import Participation, TeamState
from store.session import Transaction, tournament_of
from store.tables import bans, teams


def of_team(tx: Transaction, team_id: int) -> Participation:
    """Return whether the team with this id takes part, or why not."""
    participation = tx.execute(select(_participation(tx)).where(teams.c.id == team_id)).scalar_one()
    return Participation(participation)


def without_ban(tx: Transaction, team_id: int) -> Participation:
    """Return whether the team with this id takes part once it is not banned, or why not."""
    participation = tx.execute(select(_BY_STATE).where(teams.c.id == team_id)).scalar_one()
    return Participation(participation)


def of_all(tx: Transaction) -> dict[int, Participation]:
    """Return whether each team takes part, or why not, by its id."""
    rows = tx.execute(select(teams.c.id, _participation(tx).label("participation")))
    return {row.id: Participation(row.participation) for row in rows}


def takes_part(tx: Transaction) -> ColumnElement[bool]:
    """Return the condition of a query on `teams` for those that take part."""
    return _participation(tx) == Participation.ACTIVE


_BY_STATE = case(
    (teams.c.state != TeamState.ACTIVE, teams.c.state),
    (teams.c.proved.is_(False), Participation.UNHEARD.value),
    else_=Participation.ACTIVE.value,
)


def _participation(tx: Transaction) -> ColumnElement[Any]:
    """Return the participation of a team in a query on `teams`. Its kinds of bans and its states
    are words of it."""
    of_tournament = (bans.c.tournament == tournament_of(tx)) & bans.c.lifted_at.is_(None)
    newest = select(bans.c.kind).where(bans.c.team_id == teams.c.id, of_tournament)
    ban = newest.order_by(bans.c.id.desc()).limit(1).correlate(teams).scalar_subquery()
    return case((ban.is_not(None), ban), else_=_BY_STATE)
