"""Takes the people of a team out of the database: names and addresses, their letters, the mails to
them.

The team's own name stays, in the results and in the ledger, and so do its programs.
"""

from __future__ import annotations

import email
import re
import secrets
from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import Column, Table, delete, func, or_, select, update

from contest.errors import NotNow
from contest.model import OutboxState, Team, TeamState
from contest.util.plurals import plural
from store.class_people import ListedPerson
from store.letters import any_waiting as any_letter_waits
from store.session import Transaction
from store.tables import (
    answers,
    bans,
    bounces,
    class_people,
    confirmations,
    contents,
    entry_lists,
    journal,
    letters,
    outbox,
    practices,
    reruns,
    rounds,
    submissions,
    team_members,
    teams,
)

GONE = "(forgotten)"
_OPEN = outbox.c.state.in_((OutboxState.READY, OutboxState.HELD))
_TEXTS = (  # in which somebody may be named
    journal.c.text,
    journal.c.whom,
    journal.c.reason,
    letters.c.note,
    bans.c.reason,
    reruns.c.reason,
    submissions.c.description,
    practices.c.description,
    outbox.c.subject,
    outbox.c.last_response,
    bounces.c.diagnosis,
    teams.c.flags,
    contents.c.content,
    letters.c.raw,
    entry_lists.c.absent,
    rounds.c.words,
)


def forget_people(tx: Transaction, team: Team, ours: Collection[str]) -> None:
    """Forget them. `ours`: the contest's own addresses, which are nobody's of the team.

    Letters and mails of others that name them are emptied. Raises NotNow if a letter waits to be
    handled, or if mails to them, or mails that name them, have not gone out yet.
    """
    if any_letter_waits(tx):
        raise NotNow("a letter waits to be handled", hint="try again in a moment")
    linked = _letters_of(tx, team.id)
    addresses = _addresses_of(tx, team, linked) - {own.casefold() for own in ours}
    names = [member.name for member in team.registration.members]
    is_listed = or_(
        class_people.c.address_key.in_(addresses),
        class_people.c.address_key.in_([ListedPerson("", name, "", ()).key for name in names]),
        func.lower(class_people.c.team) == team.name.lower(),
    )
    listed = tx.execute(select(class_people).where(is_listed)).all()
    addresses |= {row.address.casefold() for row in listed} - {""}
    names += [row.name for row in listed]
    to_them = or_(outbox.c.team_id == team.id, func.lower(outbox.c.to).in_(addresses))
    waiting = tx.execute(
        select(func.count()).select_from(outbox).where(to_them, _OPEN)
    ).scalar_one()
    if waiting:
        raise NotNow(f"{plural(waiting, 'mail')} to this team, or about it, must go out first")
    people = _any_of({*names, *addresses} - {""})
    by_them = or_(letters.c.id.in_(linked), func.lower(letters.c.sender).in_(addresses))
    nothing = update(letters).values(raw=b"", sender="", recipients=[], client="", network=None)
    tx.execute(nothing.where(by_them).values(message_id=None))
    for row in tx.execute(select(outbox.c.id, outbox.c.key).where(to_them)).all():
        if people.search(row.key):  # it must be another one for each mail
            tx.execute(update(outbox).where(outbox.c.id == row.id).values(key=f"{GONE}/{row.id}"))
    tx.execute(update(outbox).where(to_them).values(to="", head=b"", lead=b"", last_response=""))
    for column in _TEXTS:
        _take_out(tx, column, people)
    nobody = {"mailbox": "", "family": "", "writer": "", "network": ""}
    is_answer = or_(answers.c.mailbox.in_(addresses), answers.c.writer.in_(addresses))
    tx.execute(update(answers).where(is_answer).values(nobody))
    tx.execute(delete(class_people).where(is_listed))
    for row in tx.execute(select(confirmations.c.id, confirmations.c.order)).all():
        if people.search(str(row.order)):
            tx.execute(delete(confirmations).where(confirmations.c.id == row.id))
    tx.execute(delete(team_members).where(team_members.c.team_id == team.id))
    address = f"{GONE}-{team.id}@invalid"  # it must be another one for each team
    forgotten = update(teams).values(
        address=address,
        address_key=address,
        state=TeamState.WITHDRAWN,
        organization=GONE,
        organization_key=GONE,
        members=[[GONE, None, "", ""]],
        fields=[],
        auth_digest=secrets.token_hex(32),
        offered_digest=None,
        preferences=[],
    )
    tx.execute(forgotten.where(teams.c.id == team.id))


def _letters_of(tx: Transaction, team_id: int) -> set[int]:
    """Return the team's letters that had an effect."""
    queries = (
        select(teams.c.letter_id).where(teams.c.id == team_id),
        select(submissions.c.letter_id).where(submissions.c.team_id == team_id),
        select(practices.c.letter_id).where(practices.c.team_id == team_id),
    )
    return {
        letter_id
        for query in queries
        for letter_id in tx.execute(query).scalars()
        if letter_id is not None
    }


def _addresses_of(tx: Transaction, team: Team, linked: Collection[int]) -> set[str]:
    """Return the addresses from which they wrote and to which mails went, casefolded."""
    queries = (
        select(letters.c.sender).where(letters.c.id.in_(linked)),
        select(outbox.c.to).where(outbox.c.team_id == team.id).distinct(),
    )
    addresses = [
        team.address,
        *(address for query in queries for address in tx.execute(query).scalars()),
    ]
    return {address.casefold() for address in addresses if address}


def _any_of(words: Collection[str]) -> re.Pattern[str]:
    """Matches each of these as a whole word, whatever its case."""
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE)


def _take_out(tx: Transaction, column: Column[Any], people: re.Pattern[str]) -> None:
    """Put GONE in place of these people in all texts of this column; a mail that names them is
    emptied."""
    table: Table = column.table
    keys = list(table.primary_key.columns)
    for *place, before in tx.execute(select(*keys, column)).all():
        after = _without(before, people)
        if after == before:
            continue
        if column is contents.c.content:
            of_mail = select(outbox.c.id).where(outbox.c.content == place[0], _OPEN)
            if tx.execute(of_mail.limit(1)).first():
                raise NotNow("a mail that names this team's people must go out first")
        here = (key == value for key, value in zip(keys, place, strict=True))
        tx.execute(update(table).where(*here).values({column.name: after}))


def _without(value: Any, people: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return people.sub(GONE, value)
    if isinstance(value, list):
        return [_without(item, people) for item in value]
    if isinstance(value, bytes) and any(people.search(text) for text in _texts_in(value)):
        return f"\n{GONE}\n".encode()
    return value


def _texts_in(content: bytes) -> Iterator[str]:
    """Yield the decoded texts of a mail, without its own header lines."""
    yield content.decode("utf-8", "replace")
    for part in email.message_from_bytes(content).walk():
        packed = part.get_payload(decode=True)
        if isinstance(packed, bytes):
            yield packed.decode("utf-8", "replace")
