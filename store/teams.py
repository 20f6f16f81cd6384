"""Teams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any

from sqlalchemy import (
    BindParameter,
    Column,
    Row,
    Select,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from contest.errors import NotFound
from contest.model import Member, Registration, Team, TeamState
from contest.util.plurals import did_you_mean
from store.session import Transaction, tournament_of
from store.tables import entries, team_members, teams

# Not those that may have been registered by forged letters: nothing was heard from their addresses.
_PRESENT = and_(teams.c.state != TeamState.WITHDRAWN, teams.c.proved.is_(True))
_UNPROVED = and_(teams.c.state != TeamState.WITHDRAWN, teams.c.proved.is_(False))


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

    `is_proved`: whether its address has shown that somebody reads it. `returning`: the id of a
    withdrawn team that comes back; its programs count again.
    """
    values = {
        "name": registration.team_name,
        "name_key": registration.team_name.casefold(),
        "address": registration.address,
        "address_key": registration.address.casefold(),
        "organization": registration.organization,
        "organization_key": _folded(registration.organization),
        "members": [[m.name, m.age, m.occupation, m.background] for m in registration.members],
        "preferences": list(registration.preferences),
        "fields": [list(field) for field in registration.fields],
        "requested_name": requested_name,
        "auth_digest": auth_digest,
        "offered_digest": None,
        "state": state,
        "flags": list(flags),
        "proved": is_proved,
        "letter_id": letter_id,
        "registered_at": now,
    }
    if returning:
        _forget_members(tx, returning)
        _change(tx, returning, **values)
    team_id = returning or tx.execute(_ADD, values).scalar_one()
    keys = [_folded(member.name) for member in registration.members]
    rows = [
        {"team_id": team_id, "number": number, "name_key": key}
        for number, key in enumerate(keys, 1)
    ]
    if rows:
        tx.execute(_ADD_MEMBERS, rows)
    return Team(
        id=team_id,
        registration=registration,
        requested_name=requested_name,
        state=state,
        registered_at=now,
        flags=tuple(flags),
        is_proved=is_proved,
    )


_ADD = insert(teams).returning(teams.c.id)
_ADD_MEMBERS = insert(team_members)


def _forget_members(tx: Transaction, team_id: int) -> None:
    tx.execute(delete(team_members).where(team_members.c.team_id == team_id))


def get(tx: Transaction, team_id: int) -> Team:
    """Raises NotFound."""
    if team := _one(tx, teams.c.id, team_id):
        return team
    raise NotFound(f"there is no team number {team_id}")


def by_address(tx: Transaction, address: str) -> Team | None:
    """Return the team with this address; case does not matter."""
    return _one(tx, teams.c.address_key, address.casefold())


def by_name(tx: Transaction, name: str) -> Team | None:
    """Return the team with exactly this name."""
    matching = with_digests(tx, name)
    return matching[0] if matching else None


def with_digests(tx: Transaction, name: str) -> tuple[Team, tuple[str, str | None]] | None:
    """Return the team with exactly this name, and the digests of its valid strings.

    The second is of the string that it was offered and has not yet used.
    """
    row = tx.execute(_with(teams.c.name_key), {"value": name.casefold()}).first()
    if row is None or row.name != name:
        return None
    return _team(row), (row.auth_digest, row.offered_digest)


def named(tx: Transaction, name: str) -> Team:
    """Return the team of this name. Raises NotFound with the name that was probably meant."""
    if team := by_name(tx, name):
        return team
    near = did_you_mean(name, (other.name for other in all_teams(tx)))
    raise NotFound(f"there is no team {name}", hint=near or "`knobeln teams` lists them")


def with_auth_digest(tx: Transaction, digest: str) -> Team | None:
    """Return the team with this string, or to which it was offered."""
    row = tx.execute(_WITH_AUTH_DIGEST, {"digest": digest}).first()
    return None if row is None else _team(row)


_DIGEST: BindParameter[str] = bindparam("digest")
_WITH_AUTH_DIGEST = select(teams).where(
    or_(teams.c.auth_digest == _DIGEST, teams.c.offered_digest == _DIGEST)
)


def registered_by(tx: Transaction, letter_id: int) -> Team | None:
    """Return the team whose form this letter was."""
    return _one(tx, teams.c.letter_id, letter_id)


def unproved_addresses(tx: Transaction) -> tuple[str, ...]:
    """Return the addresses of the teams that have not shown yet that somebody reads them."""
    return tuple(tx.execute(_UNPROVED_ADDRESSES).scalars())


_UNPROVED_ADDRESSES = select(teams.c.address).where(_UNPROVED)


def auth_digests_among(tx: Transaction, digests: Iterable[str]) -> frozenset[str]:
    """Return those among these digests that are of a team's valid string, maybe with the team's
    other one."""
    waiting = iter(digests)
    taken: frozenset[str] = frozenset()
    while some := tuple(islice(waiting, _MAX_DIGESTS)):
        rows = tx.execute(_DIGESTS_AMONG, {"digests": some})
        taken |= {digest for row in rows for digest in row if digest}
    return taken


_MAX_DIGESTS = 500  # that one statement seeks
_SOUGHT: BindParameter[str] = bindparam("digests", expanding=True)
_DIGESTS_AMONG = select(teams.c.auth_digest, teams.c.offered_digest).where(
    or_(teams.c.auth_digest.in_(_SOUGHT), teams.c.offered_digest.in_(_SOUGHT))
)


def all_teams(tx: Transaction) -> tuple[Team, ...]:
    """Return all teams, in the order of their registration."""
    return _all(tx, select(teams))


def present(tx: Transaction) -> tuple[Team, ...]:
    """Return the teams that have been heard from and have not withdrawn, in the order of their
    registration."""
    return _all(tx, select(teams).where(_PRESENT))


def without_entry(tx: Transaction) -> tuple[Team, ...]:
    """Return the present teams that do not play in the contest that has started."""
    entered = select(entries.c.team_id).where(entries.c.tournament == tournament_of(tx))
    return _all(tx, select(teams).where(_PRESENT, teams.c.id.not_in(entered)))


def memberships(tx: Transaction, names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """People with the teams of which they are members, present ones, in the order of registration.

    Case and blanks in a name do not matter; the answer has the name as it is asked for.
    """
    by_key = {_folded(name): name for name in names}
    rows = tx.execute(_MEMBERSHIPS, {"names": tuple(by_key)})
    return tuple((by_key[row.name_key], row.name) for row in rows)


_MEMBERSHIPS = (
    select(team_members.c.name_key, teams.c.name)
    .join(teams, teams.c.id == team_members.c.team_id)
    .where(_PRESENT, team_members.c.name_key.in_(bindparam("names", expanding=True)))
    .order_by(team_members.c.team_id, team_members.c.number)
)


def has_name_like(tx: Transaction, name: str) -> bool:
    """Return whether a team, withdrawn ones included, has this name; case does not matter."""
    return tx.execute(_NAMED, {"name": name.casefold()}).first() is not None


_NAMED = select(teams.c.id).where(teams.c.name_key == bindparam("name"))


def count(tx: Transaction) -> int:
    """Return how many teams have been heard from, including those that wait for the organizer,
    without withdrawn ones."""
    return int(tx.execute(_COUNT).scalar_one())


_COUNT = select(func.count()).select_from(teams).where(_PRESENT)


def count_pending(tx: Transaction) -> int:
    """Return how many teams wait for the organizer's acceptance."""
    query = select(func.count()).select_from(teams).where(teams.c.state == TeamState.PENDING)
    return tx.execute(query).scalar_one()


def count_organization(tx: Transaction, organization: str) -> int:
    """Return how many teams this organization has; case and blanks do not matter."""
    return int(
        tx.execute(_COUNT_ORGANIZATION, {"organization": _folded(organization)}).scalar_one()
    )


_COUNT_ORGANIZATION = _COUNT.where(teams.c.organization_key == bindparam("organization"))


def set_state(tx: Transaction, team_id: int, state: TeamState) -> None:
    _change(tx, team_id, state=state)


def set_auth_digest(tx: Transaction, team_id: int, digest: str) -> None:
    """Replace the digest of the team's authentification string; no other string is valid from now
    on."""
    _change(tx, team_id, auth_digest=digest, offered_digest=None)


def offer_auth_digest(tx: Transaction, team_id: int, digest: str) -> None:
    """Make another string valid, too; `set_auth_digest` makes it the only one when it is used."""
    _change(tx, team_id, offered_digest=digest)


def set_proved(tx: Transaction, team_id: int) -> None:
    """Remember that somebody reads the team's address."""
    _change(tx, team_id, proved=True)


def set_preferences(tx: Transaction, team_id: int, preferences: Sequence[str]) -> None:
    """Set the reports that the team gets from now on."""
    _change(tx, team_id, preferences=list(preferences))


def set_address(tx: Transaction, team_id: int, address: str) -> None:
    """Set the team's address; no other team may have it."""
    _change(tx, team_id, address=address, address_key=address.casefold())


def addresses(tx: Transaction) -> tuple[str, ...]:
    """Return all addresses of teams."""
    return tuple(tx.execute(select(teams.c.address)).scalars())


def remove(tx: Transaction, team_id: int) -> None:
    """Delete a registration that the organizer has rejected; its name and address are free
    again."""
    _forget_members(tx, team_id)
    tx.execute(delete(teams).where(teams.c.id == team_id))


def _change(tx: Transaction, team_id: int, **values: object) -> None:
    tx.execute(_CHANGE, {"team": team_id, **values})


_CHANGE = update(teams).where(teams.c.id == bindparam("team"))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _one(tx: Transaction, column: Column[Any], value: object) -> Team | None:
    """Return the team with this value in the column."""
    row = tx.execute(_with(column), {"value": value}).first()
    return None if row is None else _team(row)


@cache
def _with(column: Column[Any]) -> Select[Any]:
    return select(teams).where(column == bindparam("value"))


def _all(tx: Transaction, query: Select[Any]) -> tuple[Team, ...]:
    return tuple(_team(row) for row in tx.execute(query.order_by(teams.c.id)))


def _team(row: Row[Any]) -> Team:
    registration = Registration(
        address=row.address,
        preferences=tuple(row.preferences),
        team_name=row.name,
        organization=row.organization,
        members=tuple(Member(*member) for member in row.members),
        fields=tuple((name, value) for name, value in row.fields),
    )
    facts = row.requested_name, TeamState(row.state), row.registered_at, tuple(row.flags)
    return Team(row.id, registration, *facts, row.proved)
