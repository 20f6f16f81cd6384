"""`knobeln outbox`: outgoing mails."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes
from email.policy import default as modern

import click

from contest.config.sections import DeliveryKind
from contest.errors import NotFound, NotNow
from contest.model import Bounce, OutboxState
from contest.plurals import plural
from contest.store import Transaction
from contest.store import outbox as outbox_store
from contest.store.contest_state import note
from contest.store.outbox import ListedMail
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestGroup
from knobeln.cli.dry_run import dry_run_option, operator, print_mails, print_outcome, transaction
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import count_option, moment, remark, table, tell_of_more
from knobeln.context import ContestContext
from knobeln.services import deliver_all
from mailserver.delivery.deliver import Delivered, senders
from mailserver.delivery.transports import transport_of
from mailserver.delivery.transports.stdout import StreamTransport

BATCH = 100
MAX_IDS_IN_LOG = 20


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


@click.group(cls=ContestGroup, invoke_without_command=True)
@answers(list[ListedMail])
@click.pass_context
def outbox(context: click.Context) -> None:
    """List, show, hold, release and retry outgoing mails. Alone it lists the newest."""
    if context.invoked_subcommand is None:
        context.invoke(list_outbox)


@outbox.command("list")
@click.option("--state", type=click.Choice([str(s) for s in OutboxState]), help="Only mails in this state.")
@click.option("--to", default=None, help="Only mails to this address.")
@count_option
@answers(list[ListedMail])
def list_outbox(state: str | None, to: str | None, count: int) -> None:
    """List the mails."""
    with open_contest().store.read() as tx:
        wanted = OutboxState(state) if state else None
        rows = outbox_store.listing(tx, state=wanted, to=to, count=count)
        total = outbox_store.count(tx, state=wanted, to=to)
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
    table("outbox", columns, cells, drop=("#tries", "queued", "subject"))


@outbox.command("show")
@click.argument("item_id", type=int, metavar="ID")
@click.option("--raw", is_flag=True, help="Print the mail byte for byte, as it goes out.")
@answers(MailAnswer)
def show_outbox(item_id: int, raw: bool) -> None:
    """Show one mail as its reader sees it."""
    with open_contest().store.read() as tx:
        item = outbox_store.get(tx, item_id)
        bounces = outbox_store.bounces_of(tx, item_id)
    if item is None:
        raise NotFound(
            f"there is no mail {item_id} in the outbox", hint="`knobeln outbox list` lists the mails"
        )
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


def _show_mail(mail: MailAnswer) -> None:
    click.secho(_progress(mail), bold=True, err=True)
    for bounce in mail.bounces:
        what = "came back" if bounce.permanent else "is late"
        click.secho(
            f"{moment(bounce.at)}: it {what}, says letter {bounce.letter_id}: {bounce.diagnosis}", err=True
        )
    for name in ("From", "To", "Subject", "Date"):
        click.echo(f"{name}: {mail.headers.get(name, '')}")
    for name in mail.attachments:
        click.echo(f"Attachment: {name}")
    click.echo("\n" + mail.body)


def _progress(item: MailAnswer) -> str:
    tries = f" after {item.attempts} tries" if item.attempts > 1 else ""
    response = f": {item.last_response}" if item.last_response else ""
    next_try = f", next try {moment(item.due_at)}" if item.state is OutboxState.READY else ""
    return f"{item.state}{tries}{next_try}{response}"


_ids = click.argument("item_ids", type=int, nargs=-1, metavar="[ID]...")


@outbox.command()
@_ids
@click.option("--to", default=None, help="All queued mails to this address.")
@click.option("--all", "everything", is_flag=True, help="All queued mails.")
def hold(item_ids: tuple[int, ...], to: str | None, everything: bool) -> None:
    """Hold mails until they are released."""
    _require_one_choice(item_ids, to, everything)
    contest = open_contest()
    with contest.store.write() as tx:
        held = outbox_store.hold(tx, ids=item_ids, to=to)
        _note(contest, tx, "held", held)
    _print_changed("held", held, item_ids, OutboxState.READY)


@outbox.command()
@_ids
@click.option("--to", default=None, help="All held mails to this address.")
@click.option("--all", "everything", is_flag=True, help="All held mails.")
@dry_run_option
def release(item_ids: tuple[int, ...], to: str | None, everything: bool, dry_run: bool) -> None:
    """Release mails that were held.

    If all mails are stopped (`knobeln status` says so), --all ends only that, and releases no held mail.
    """
    _require_one_choice(item_ids, to, everything)
    contest = open_contest()
    with transaction(contest, dry_run=dry_run) as tx:
        if everything and outbox_store.go_on(tx):
            note(tx, "mails", "mails go out again", contest.clock.now(), actor=operator())
            remark("Mails go out again. Mails that were held one by one are still held.")
            return
        released = outbox_store.release(tx, contest.clock.now(), ids=item_ids, to=to)
        _note(contest, tx, "released", released)
        if dry_run:
            print_mails(contest, tx, outbox_store.items(tx, released))
    _print_changed("released", released, item_ids, OutboxState.HELD, dry_run=dry_run)


@outbox.command("retry")
@_ids
@click.option("--to", default=None, help="All mails to this address, also those that came back.")
@click.option("--all", "everything", is_flag=True, help="All mails that failed or wait for another try.")
@dry_run_option
def retry_outbox(item_ids: tuple[int, ...], to: str | None, everything: bool, dry_run: bool) -> None:
    """Send mails at once that failed, came back, or wait for another try."""
    _require_one_choice(item_ids, to, everything)
    contest = open_contest()
    with transaction(contest, dry_run=dry_run) as tx:
        again = outbox_store.retry(tx, contest.clock.now(), ids=item_ids, to=to)
        _note(contest, tx, "to be sent at once", again)
        if dry_run:
            print_mails(contest, tx, outbox_store.items(tx, again))
    states = (OutboxState.FAILED, OutboxState.BOUNCED, OutboxState.READY)
    _print_changed("to be sent at once", again, item_ids, *states, dry_run=dry_run)


def _note(contest: ContestContext, tx: Transaction, what: str, done: tuple[int, ...]) -> None:
    """Note in the journal which mails were changed, if any."""
    if done:
        ids = f": {', '.join(map(str, done))}" if len(done) <= MAX_IDS_IN_LOG else ""
        text = f"{plural(len(done), 'mail')}{ids} {what}"
        note(tx, "outbox", text, contest.clock.now(), actor=operator())


def _require_one_choice(item_ids: tuple[int, ...], to: str | None, everything: bool) -> None:
    if (bool(item_ids), to is not None, everything).count(True) != 1:
        raise click.UsageError("name the mails by their IDs, by --to ADDRESS, or by --all")


def _print_changed(
    what: str, done: tuple[int, ...], wanted: tuple[int, ...], *states: OutboxState, dry_run: bool = False
) -> None:
    """Print how many mails were changed. Raises NotFound if none of the wanted ones was."""
    others = [str(item_id) for item_id in wanted if item_id not in done]
    if others:
        names = " or ".join(states)
        print_outcome(
            f"Not {names}, so left as they are: {', '.join(others)} (see `knobeln outbox list`).",
            dry_run=dry_run,
        )
    if wanted and not done:
        raise NotFound("nothing was changed")
    print_outcome(f"{plural(len(done), 'mail')} {what}.", dry_run=dry_run)


@outbox.command()
@click.option("--dry-run", is_flag=True, help="Print the mails that are due (mbox), and change nothing.")
@answers(Delivered | None)
def flush(dry_run: bool) -> None:
    """Deliver the mails that are due now, if no `knobeln serve` does it."""
    contest = open_contest()
    if dry_run:
        _print_due(contest)
        return
    with contest.store.read() as tx:
        stopped = outbox_store.stopped(tx)
    if stopped:
        raise NotNow(stopped[1], hint="`knobeln outbox release --all` lets the mails go")
    done = deliver_all(contest, transport_of(contest.settings, contest.path))
    mails_are_printed = contest.settings.mail.delivery is DeliveryKind.STDOUT
    answer(done, lambda done: remark(_delivery_text(done), err=mails_are_printed))


def _delivery_text(done: Delivered | None) -> str:
    if done is None:
        return "Another process is delivering."
    return f"{done.sent} sent, {done.deferred} deferred, {done.failed} failed."


def _print_due(contest: ContestContext) -> None:
    out, last = StreamTransport(sys.stdout.buffer), 0
    while True:
        with contest.store.read() as tx:
            items = outbox_store.due(tx, contest.clock.now(), BATCH, after=last)
            sender = senders(tx, contest.settings)
        for item in items:
            out.send(sender(item.id), item.to, item.raw)
            last = item.id
        if not items:
            return
