"""`knobeln mail`: show the outgoing mails."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes
from email.policy import default as modern

import click

from contest.errors import NotFound
from contest.model import Bounce, OutboxState
from contest.store import outbox
from contest.store.outbox import ListedMail
from knobeln.cli.answers import answer, answers
from knobeln.cli.lazy import LazyNounGroup
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import count_option, moment, table, tell_of_more


@dataclass(frozen=True)
class MailAnswer:
    """A mail as its reader sees it, and its delivery. `attachments`: the names of the files."""

    id: int
    state: OutboxState
    attempts: int
    created_at: datetime
    due_at: datetime
    last_response: str
    headers: Mapping[str, str]
    body: str
    attachments: tuple[str, ...]
    bounces: tuple[Bounce, ...]


@click.group(cls=LazyNounGroup)
@click.option("--state", type=click.Choice([str(s) for s in OutboxState]), help="Only mails in this state.")
@click.option("--to", default=None, help="Only mails to this address.")
@count_option
@answers(list[ListedMail])
def mail(state: str | None, to: str | None, count: int) -> None:
    """List the outgoing mails; hold, release and retry them."""
    with open_contest().store.read() as tx:
        wanted = OutboxState(state) if state else None
        rows = outbox.listing(tx, state=wanted, to=to, count=count)
        total = outbox.count(tx, state=wanted, to=to)
    tell_of_more(rows, total)
    answer(rows, _show_mails)


def _show_mails(rows: Sequence[ListedMail]) -> None:
    cells = [
        (
            row.id,
            moment(row.created_at),
            row.to,
            row.subject,
            row.state,
            row.attempts,
            "" if row.state == OutboxState.SENT else row.last_response,
        )
        for row in rows
    ]
    columns = ("#id", "queued", "to", "subject", "state", "#tries", "problem")
    table("mails", columns, cells, drop=("#tries", "queued", "subject"))


@mail.command("show")
@click.argument("item_id", type=int, metavar="ID")
@click.option("--raw", is_flag=True, help="Print the mail byte for byte, as it goes out.")
@answers(MailAnswer)
def show_mail(item_id: int, raw: bool) -> None:
    """Show one mail as its reader sees it."""
    with open_contest().store.read() as tx:
        item = outbox.get(tx, item_id)
        bounces = outbox.bounces_of(tx, item_id)
    if item is None:
        raise NotFound(f"there is no mail {item_id}", hint="`knobeln mail` lists them")
    if raw:
        sys.stdout.buffer.write(item.raw)
        return
    message = message_from_bytes(item.raw, policy=modern)
    body = message.get_body(("plain",))
    found = MailAnswer(
        item.id,
        item.state,
        item.attempts,
        item.created_at,
        item.due_at,
        item.last_response,
        headers=dict(message.items()),
        body=body.get_content() if body else "",
        attachments=tuple(part.get_filename() or "" for part in message.iter_attachments()),
        bounces=tuple(bounces),
    )
    answer(found, _show_mail)


def _show_mail(shown: MailAnswer) -> None:
    click.secho(_progress(shown), bold=True, err=True)
    for bounce in shown.bounces:
        what = "came back" if bounce.permanent else "is late"
        click.secho(
            f"{moment(bounce.at)}: it {what}, says letter {bounce.letter_id}: {bounce.diagnosis}", err=True
        )
    for name in ("From", "To", "Subject", "Date"):
        click.echo(f"{name}: {shown.headers.get(name, '')}")
    for name in shown.attachments:
        click.echo(f"Attachment: {name}")
    click.echo("\n" + shown.body)


def _progress(item: MailAnswer) -> str:
    tries = f" after {item.attempts} tries" if item.attempts > 1 else ""
    response = f": {item.last_response}" if item.last_response else ""
    next_try = f", next try {moment(item.due_at)}" if item.state is OutboxState.READY else ""
    return f"{item.state}{tries}{next_try}{response}"


mail.add_lazy_commands(
    "knobeln.cli.mail.actions",
    {
        "hold": "Hold mails until they are released: the reports of the contest day, or those that you name.",
        "release": "Release mails that are held: the reports of the contest day, or those that you name.",
        "retry": "Send mails at once that failed, came back, or wait for another try.",
        "flush": "Deliver the mails that are due now, if no `knobeln serve` does it.",
    },
)
