"""The answers to letters, as the limits count them: when, to whom, by whose letter, and from where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, insert, select

from contest.model import CountedAnswer, Scope
from contest.store.session import Transaction
from contest.store.tables import answers


def add(tx: Transaction, answer: CountedAnswer) -> None:
    tx.execute(insert(answers).values(asdict(answer)))


def to_letter(tx: Transaction, letter_id: int) -> tuple[CountedAnswer, ...]:
    """The answers to this letter, oldest first."""
    rows = tx.execute(select(answers).where(answers.c.letter_id == letter_id).order_by(answers.c.id))
    return tuple(
        CountedAnswer(**{name: row._mapping[name] for name in CountedAnswer.__dataclass_fields__})
        for row in rows
    )


def nth_newest(
    tx: Transaction,
    like: CountedAnswer,
    scope: Scope,
    n: int,
    since: datetime,
    *,
    unproved: bool,
    templates: Sequence[str] | None,
) -> datetime | None:
    """The time of the n-th newest answer after `since`, counted from 1; None if there are fewer.

    It counts answers that are like this one in this scope. `unproved`: only those to letters that proved
    nothing; `templates`: only these, None = all.
    """
    query = select(answers.c.at).where(answers.c.at > since, _alike(like, scope))
    if unproved:
        query = query.where(answers.c.proved.is_(False))
    if templates is not None:
        query = query.where(answers.c.template.in_(templates))
    return tx.execute(query.order_by(answers.c.at.desc()).offset(n - 1).limit(1)).scalar()


def count_letters(
    tx: Transaction, like: CountedAnswer, scope: Scope, templates: Sequence[str], span: timedelta
) -> int:
    """How many letters got an answer by these templates that is like this one, within `span` before it."""
    query = select(func.count(answers.c.letter_id.distinct()))
    query = query.where(_alike(like, scope), answers.c.at > like.at - span)
    query = query.where(answers.c.template.in_(templates), answers.c.letter_id != like.letter_id)
    return tx.execute(query).scalar_one()


def _alike(like: CountedAnswer, scope: Scope) -> ColumnElement[bool]:
    if scope is Scope.ALL:
        return answers.c.id.is_not(None)
    found: ColumnElement[bool] = answers.c[scope.value] == getattr(like, scope.value)
    return found
