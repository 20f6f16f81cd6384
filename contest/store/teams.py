"""Teams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from pydantic_core import from_json
from sqlalchemy import (
    BindParameter,
    Column,
    Row,
    Select,
    Text,
    bindparam,
    cast,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from contest.did_you_mean import did_you_mean
from contest.errors import NotFound
from contest.model import Member, Registration, Team, TeamState
from contest.store.session import Transaction
from contest.store.tables import teams

_PRESENT = teams.c.state != TeamState.WITHDRAWN


def add(
    tx: Transaction,
    registration: Registration,
    *,
    requested_name: str,
    state: TeamState,
    auth_digest: str,
    letter_id: int | None,
    now: datetime,
    flags: Sequence[str] = (),
    is_proved: bool = True,
    returning: int | None = None,
) -> Team:
    """Add a team. Names and addresses are unique in the database: of two at once, one fails (R13).

    `is_proved`: whether its address has shown that somebody reads it. `returning`: the id of a withdrawn
    team that comes back; its programs count again.
    """
    values = {
        **_values(registration),
        "requested_name": requested_name,
        "auth_digest": auth_digest,
        "offered_digest": None,
        "state": state,
        "flags": list(flags),
        "proved": is_proved,
        "letter_id": letter_id,
        "registered_at": now,
    }
    change = update(teams).where(teams.c.id == returning) if returning else insert(teams)
    team_id = tx.execute(change.values(values).returning(teams.c.id)).scalar_one()
    return Team(team_id, registration, requested_name, state, now, tuple(flags), is_proved=is_proved)


def get(tx: Transaction, team_id: int) -> Team:
    """Raises NotFound."""
    team = _one(tx, teams.c.id, team_id)
    if team is None:
        raise NotFound(f"there is no team number {team_id}")
    return team


def by_address(tx: Transaction, address: str) -> Team | None:
    """The team with this address; case does not matter."""
    return _one(tx, teams.c.address_key, address.casefold())


def by_name(tx: Transaction, name: str) -> Team | None:
    """The team with exactly this name."""
    team = _one(tx, teams.c.name_key, name.casefold())
    return team if team is not None and team.name == name else None


def named(tx: Transaction, name: str) -> Team:
    """The team of this name. Raises NotFound with the name that was probably meant."""
    team = by_name(tx, name)
    if team is None:
        near = did_you_mean(name, (each.name for each in all_teams(tx)))
        raise NotFound(f"there is no team {name}{near or '; `knobeln teams` lists them'}")
    return team


def with_auth_digest(tx: Transaction, digest: str) -> Team | None:
    """The team with this string, or to which it was offered."""
    row = tx.execute(_WITH_AUTH_DIGEST, {"digest": digest}).first()
    return None if row is None else _team(row)


_DIGEST: BindParameter[str] = bindparam("digest")
_WITH_AUTH_DIGEST = select(teams).where(
    or_(teams.c.auth_digest == _DIGEST, teams.c.offered_digest == _DIGEST)
)


def registered_by(tx: Transaction, letter_id: int) -> Team | None:
    """The team whose form this letter was."""
    return _one(tx, teams.c.letter_id, letter_id)


def unproved_addresses(tx: Transaction) -> tuple[str, ...]:
    """The addresses of the teams that have not shown yet that somebody reads them."""
    return tuple(tx.execute(select(teams.c.address).where(_PRESENT, teams.c.proved.is_(False))).scalars())


class AuthDigests(NamedTuple):
    """The digests of a team's valid strings. `offered`: of one that it was offered and has not yet used."""

    valid: str
    offered: str | None


def digests_of(tx: Transaction, team_id: int) -> AuthDigests:
    return AuthDigests(*tx.execute(_DIGESTS_OF, {"team": team_id}).one())


_DIGESTS_OF = select(teams.c.auth_digest, teams.c.offered_digest).where(teams.c.id == bindparam("team"))


def auth_digests(tx: Transaction) -> frozenset[str]:
    """The digests of all teams' valid authentification strings, to recognise such a string in a text."""
    rows = tx.execute(_DIGESTS).all()
    return frozenset(digest for row in rows for digest in row if digest)


_DIGESTS = select(teams.c.auth_digest, teams.c.offered_digest)


def all_teams(tx: Transaction) -> tuple[Team, ...]:
    """All teams, in the order of their registration."""
    return _all(tx, select(teams))


def present(tx: Transaction) -> tuple[Team, ...]:
    """The teams that have not withdrawn, in the order of their registration."""
    return _all(tx, select(teams).where(_PRESENT))


class Members(NamedTuple):
    """The names of a team's members."""

    team: str
    names: tuple[str, ...]


def members_of_present(tx: Transaction) -> Iterator[Members]:
    """The members of the teams that have not withdrawn, in the order of registration."""
    for name, members in tx.execute(_MEMBERS).all():
        yield Members(name, tuple(member[0] for member in from_json(members)))


# As text, which pydantic reads faster than the column's own type does: each registration needs all of them.
_MEMBERS = select(teams.c.name, cast(teams.c.members, Text)).where(_PRESENT).order_by(teams.c.id)


def taken_names(tx: Transaction) -> set[str]:
    """The names of all teams, casefolded, including withdrawn teams."""
    return set(tx.execute(_NAMES).scalars())


_NAMES = select(teams.c.name_key)


def count(tx: Transaction) -> int:
    """How many teams there are, including those that wait for the organizer, without withdrawn ones."""
    return tx.execute(select(func.count()).select_from(teams).where(_PRESENT)).scalar_one()


def count_pending(tx: Transaction) -> int:
    """How many teams wait for the organizer's acceptance."""
    query = select(func.count()).select_from(teams).where(teams.c.state == TeamState.PENDING)
    return tx.execute(query).scalar_one()


def count_organization(tx: Transaction, organization: str) -> int:
    """How many teams this organization has; case and blanks do not matter."""
    query = select(func.count()).select_from(teams).where(_PRESENT)
    return tx.execute(query.where(teams.c.organization_key == _folded(organization))).scalar_one()


def set_state(tx: Transaction, team_id: int, state: TeamState) -> None:
    tx.execute(update(teams).where(teams.c.id == team_id).values(state=state))


def set_auth_digest(tx: Transaction, team_id: int, digest: str) -> None:
    """Replace the digest of the team's authentification string; no other string is valid from now on."""
    values = {"auth_digest": digest, "offered_digest": None}
    tx.execute(update(teams).where(teams.c.id == team_id).values(values))


def offer_auth_digest(tx: Transaction, team_id: int, digest: str) -> None:
    """Make another string valid, too; `set_auth_digest` makes it the only one when it is used."""
    tx.execute(update(teams).where(teams.c.id == team_id).values(offered_digest=digest))


def set_proved(tx: Transaction, team_id: int) -> None:
    """Remember that somebody reads the team's address."""
    tx.execute(update(teams).where(teams.c.id == team_id).values(proved=True))


def set_preferences(tx: Transaction, team_id: int, preferences: Sequence[str]) -> None:
    """Set the reports that the team gets from now on."""
    tx.execute(update(teams).where(teams.c.id == team_id).values(preferences=list(preferences)))


def set_friendly(tx: Transaction, team_id: int, is_friendly: bool) -> None:
    """Set whether other teams may play friendly matches against it."""
    tx.execute(update(teams).where(teams.c.id == team_id).values(friendly=is_friendly))


def set_address(tx: Transaction, team_id: int, address: str) -> None:
    """Set the team's address; no other team may have it."""
    values = {"address": address, "address_key": address.casefold()}
    tx.execute(update(teams).where(teams.c.id == team_id).values(values))


def copy_address(tx: Transaction, team_id: int) -> str | None:
    """The second address that gets copies of the team's mails."""
    found: str | None = tx.execute(select(teams.c.copy_address).where(teams.c.id == team_id)).scalar_one()
    return found


def set_copy_address(tx: Transaction, team_id: int, address: str | None) -> None:
    """Set the second address that gets copies of the team's mails from now on; None: nobody does."""
    tx.execute(update(teams).where(teams.c.id == team_id).values(copy_address=address))


def with_copy_address(tx: Transaction, address: str) -> tuple[Team, ...]:
    """The teams whose copies go to this address; case does not matter."""
    return _all(tx, select(teams).where(func.lower(teams.c.copy_address) == address.lower()))


def remove(tx: Transaction, team_id: int) -> None:
    """Delete a registration that the organizer has rejected; its name and address are free again."""
    tx.execute(delete(teams).where(teams.c.id == team_id))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _values(registration: Registration) -> dict[str, Any]:
    return {
        "name": registration.team_name,
        "name_key": registration.team_name.casefold(),
        "address": registration.address,
        "address_key": registration.address.casefold(),
        "organization": registration.organization,
        "organization_key": _folded(registration.organization),
        "members": [[m.name, m.age, m.occupation, m.background] for m in registration.members],
        "preferences": list(registration.preferences),
        "fields": [list(field) for field in registration.fields],
    }


def _one(tx: Transaction, column: Column[Any], value: object) -> Team | None:
    """The team with this value in the column."""
    row = tx.execute(_with(column), {"value": value}).first()
    return None if row is None else _team(row)


@cache
def _with(column: Column[Any]) -> Select[Any]:
    return select(teams).where(column == bindparam("value"))


def _all(tx: Transaction, query: Select[Any]) -> tuple[Team, ...]:
    return tuple(_team(row) for row in tx.execute(query.order_by(teams.c.id)))


def _team(row: Row[Any]) -> Team:
    registration = Registration(
        row.address,
        tuple(row.preferences),
        row.name,
        row.organization,
        tuple(Member(*member) for member in row.members),
        tuple((name, value) for name, value in row.fields),
    )
    return Team(
        row.id,
        registration,
        row.requested_name,
        TeamState(row.state),
        row.registered_at,
        tuple(row.flags),
        row.friendly,
        row.proved,
    )
