"""The answers to letters, as the limits count them: when, to whom, by whose letter, and from
where."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache, lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    CompoundSelect,
    Select,
    bindparam,
    func,
    insert,
    literal_column,
    or_,
    select,
    union_all,
    update,
)

from contest.model import CountedAnswer, Scope
from store.session import Transaction, record
from store.tables import answers


def add(tx: Transaction, answer: CountedAnswer) -> None:
    tx.execute(_ADD, vars(answer))


_ADD = insert(answers)


def set_proved(tx: Transaction, mailbox: str) -> None:
    """Note that somebody reads this mailbox: its mails count as answers to letters that came from
    there."""
    tx.execute(_SET_PROVED, {"of": mailbox})


_SET_PROVED = update(answers).where(answers.c.mailbox == bindparam("of")).values(proved=True)


def to_letter(tx: Transaction, letter_id: int) -> tuple[CountedAnswer, ...]:
    """Return the answers to this letter, oldest first."""
    rows = tx.execute(
        select(answers).where(answers.c.letter_id == letter_id).order_by(answers.c.id)
    )
    return tuple(record(CountedAnswer, row) for row in rows)


class Counted(NamedTuple):
    """Which answers to count: those after `since` that are like a given one in this scope, and not
    after it.

    One that is dated later was written while a clock was wrong. It would count until that date.
    `unproved`: only those to letters that proved nothing; `templates`: only these, None = all.
    """

    scope: Scope
    since: datetime
    unproved: bool
    templates: tuple[str, ...] | None


def newest(
    tx: Transaction, like: CountedAnswer, wanted: Sequence[Counted], skip: Sequence[int]
) -> list[list[datetime]]:
    """Return the times of the newest answers for each of `wanted`, newest first: `skip` are left
    out, then come up to two."""
    newest_times: list[list[datetime]] = [[] for _ in wanted]
    if not wanted:
        return newest_times
    values: dict[str, object] = {"now": like.at}
    for number, (limit, skipped) in enumerate(zip(wanted, skip, strict=True)):
        value = getattr(like, limit.scope.value, None)
        values |= {f"since{number}": limit.since, f"skip{number}": skipped, f"value{number}": value}
    query = _newest(tuple((limit.scope, limit.unproved, limit.templates) for limit in wanted))
    for number, moment in tx.execute(query, values):
        newest_times[number].append(moment)
    return [sorted(times, reverse=True) for times in newest_times]


@lru_cache(maxsize=256)
def _newest(wanted: tuple[tuple[Scope, bool, tuple[str, ...] | None], ...]) -> CompoundSelect[Any]:
    """One query for all, because SQLAlchemy needs twenty times as long for each as the database."""
    parts = []
    for number, (scope, unproved, templates) in enumerate(wanted):
        query = select(literal_column(str(number)).label("number"), answers.c.at)
        query = query.where(
            answers.c.at > bindparam(f"since{number}"), answers.c.at <= bindparam("now")
        )
        if scope is not Scope.ALL:
            query = query.where(answers.c[scope.value] == bindparam(f"value{number}"))
        if unproved:
            query = query.where(answers.c.proved.is_(False))
        if templates is not None:
            # As parameters of their own: a list of them is written into the statement each time.
            query = query.where(or_(*(answers.c.template == template for template in templates)))
        query = query.order_by(answers.c.at.desc()).offset(bindparam(f"skip{number}")).limit(2)
        parts.append(select(query.subquery()))
    return union_all(*parts)


def count_letters(
    tx: Transaction,
    like: CountedAnswer,
    scopes: Sequence[Scope],
    templates: Sequence[str],
    span: timedelta,
) -> tuple[int, ...]:
    """For each scope: how many letters got an answer by these templates that is like this one,
    within `span` before it."""
    values: dict[str, object] = {scope.value: getattr(like, scope.value) for scope in scopes}
    values |= {
        "since": like.at - span,
        "now": like.at,
        "templates": templates,
        "letter": like.letter_id,
    }
    return tuple(tx.execute(_count_letters(tuple(scopes)), values).one())


@cache
def _count_letters(scopes: tuple[Scope, ...]) -> Select[Any]:
    count = select(func.count(answers.c.letter_id.distinct())).where(
        answers.c.at > bindparam("since"),
        answers.c.at <= bindparam("now"),
        answers.c.template.in_(bindparam("templates", expanding=True)),
        answers.c.letter_id != bindparam("letter"),
    )
    counts = (count.where(answers.c[scope.value] == bindparam(scope.value)) for scope in scopes)
    return select(*(query.scalar_subquery() for query in counts))
