"""The answers to letters, as the limits count them: when, to whom, by whose letter, and from where."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, func, insert, select

from contest.model import CountedAnswer, Scope
from contest.store.session import Transaction
from contest.store.tables import answers


def add(tx: Transaction, answer: CountedAnswer) -> None:
    tx.execute(_ADD, vars(answer))


_ADD = insert(answers)


def to_letter(tx: Transaction, letter_id: int) -> tuple[CountedAnswer, ...]:
    """The answers to this letter, oldest first."""
    rows = tx.execute(select(answers).where(answers.c.letter_id == letter_id).order_by(answers.c.id))
    return tuple(
        CountedAnswer(**{name: row._mapping[name] for name in CountedAnswer.__dataclass_fields__})
        for row in rows
    )


def newest(
    tx: Transaction,
    like: CountedAnswer,
    scope: Scope,
    skip: int,
    since: datetime,
    *,
    unproved: bool,
    templates: Sequence[str] | None,
) -> tuple[datetime, ...]:
    """The times of the newest answers after `since`, newest first: `skip` are left out, then come up to two.

    It counts answers that are like this one in this scope. `unproved`: only those to letters that proved
    nothing; `templates`: only these, None = all.
    """
    query = _newest(scope, unproved=unproved, of_templates=templates is not None)
    values = {"since": since, "skip": skip, "templates": templates, "value": getattr(like, scope.value, None)}
    return tuple(tx.execute(query, values).scalars())


@cache
def _newest(scope: Scope, *, unproved: bool, of_templates: bool) -> Select[Any]:
    query = select(answers.c.at).where(answers.c.at > bindparam("since"))
    if scope is not Scope.ALL:
        query = query.where(answers.c[scope.value] == bindparam("value"))
    if unproved:
        query = query.where(answers.c.proved.is_(False))
    if of_templates:
        query = query.where(answers.c.template.in_(bindparam("templates", expanding=True)))
    return query.order_by(answers.c.at.desc()).offset(bindparam("skip")).limit(2)


def count_letters(
    tx: Transaction, like: CountedAnswer, scope: Scope, templates: Sequence[str], span: timedelta
) -> int:
    """How many letters got an answer by these templates that is like this one, within `span` before it."""
    values = {
        "value": getattr(like, scope.value),
        "since": like.at - span,
        "templates": templates,
        "letter": like.letter_id,
    }
    return int(tx.execute(_count_letters(scope), values).scalar_one())


@cache
def _count_letters(scope: Scope) -> Select[Any]:
    return select(func.count(answers.c.letter_id.distinct())).where(
        answers.c[scope.value] == bindparam("value"),
        answers.c.at > bindparam("since"),
        answers.c.template.in_(bindparam("templates", expanding=True)),
        answers.c.letter_id != bindparam("letter"),
    )
