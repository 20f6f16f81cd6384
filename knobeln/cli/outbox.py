"""Mails out, by hand: outbox."""

from __future__ import annotations

import sys
from email import message_from_bytes
from email.policy import default as modern

import click

from contest.config.sections import DeliveryKind
from contest.errors import NotFound, NotNow
from contest.model import OutboxState
from contest.plurals import form
from contest.store import Transaction
from contest.store import outbox as outbox_store
from contest.store.contest_state import note
from contest.store.outbox import OutboxItem
from knobeln.cli.contest_option import ContestGroup
from knobeln.cli.dry_run import change, dry_run_option, operator, print_mails, tell
from knobeln.cli.output import json_option, moment, print_json, table
from knobeln.context import ContestContext, contest_folder
from knobeln.server.services import deliver_all
from mailserver.delivery.deliver import senders
from mailserver.delivery.transports import transport_of
from mailserver.delivery.transports.stdout import StreamTransport

PRINTED_AT_ONCE = 100
NAMED_AT_MOST = 20  # mails, in the log


@click.group(cls=ContestGroup)
def outbox() -> None:
    """Mails on their way out."""


@outbox.command("list")
@click.option("--state", type=click.Choice([str(s) for s in OutboxState]), help="Only mails in this state.")
@click.option("--to", default=None, help="Only mails to this address.")
@click.option("--count", default=50, show_default=True, help="How many, the newest.")
@json_option
def list_outbox(state: str | None, to: str | None, count: int, as_json: bool) -> None:
    """List the mails."""
    with contest_folder().store.read() as tx:
        rows = outbox_store.listing(tx, state=OutboxState(state) if state else None, to=to, count=count)
    if as_json:
        print_json([row._asdict() for row in rows])
        return
    cells = [
        (
            r.id,
            moment(r.created_at),
            r.to,
            r.subject,
            r.state,
            r.attempts,
            "" if r.state == OutboxState.SENT else r.last_response,
        )
        for r in rows
    ]
    table("outbox", ("#id", "queued", "to", "subject", "state", "#tries", "problem"), cells)


@outbox.command("show")
@click.argument("item_id", type=int, metavar="ID")
@click.option("--raw", is_flag=True, help="The mail byte for byte, as it goes out.")
@json_option
def show_outbox(item_id: int, raw: bool, as_json: bool) -> None:
    """Show one mail as its reader sees it."""
    with contest_folder().store.read() as tx:
        item = outbox_store.get(tx, item_id)
        bounces = outbox_store.bounces_of(tx, item_id)
    if item is None:
        raise NotFound(f"there is no mail {item_id} in the outbox; `knobeln outbox list` shows what there is")
    if raw:
        sys.stdout.buffer.write(item.raw)
        return
    message = message_from_bytes(item.raw, policy=modern)
    body = message.get_body(("plain",))
    text = body.get_content() if body else ""
    names = [part.get_filename() or "" for part in message.iter_attachments()]
    if as_json:
        facts = {"headers": dict(message.items()), "body": text, "attachments": names}
        print_json(_progress(item) | facts | {"bounces": [vars(bounce) for bounce in bounces]})
        return
    click.secho(_in_words(item), bold=True, err=True)
    for bounce in bounces:
        what = "came back" if bounce.permanent else "is late"
        click.secho(
            f"{moment(bounce.at)}: it {what}, says letter {bounce.letter_id}: {bounce.diagnosis}", err=True
        )
    for name in ("From", "To", "Subject", "Date"):
        click.echo(f"{name}: {message[name]}")
    for name in names:
        click.echo(f"Attachment: {name}")
    click.echo("\n" + text)


def _progress(item: OutboxItem) -> dict[str, object]:
    names = ("id", "state", "attempts", "created_at", "due_at", "last_response")
    return {name: getattr(item, name) for name in names}


def _in_words(item: OutboxItem) -> str:
    tries = f" after {item.attempts} tries" if item.attempts > 1 else ""
    said = f": {item.last_response}" if item.last_response else ""
    next_try = f", next try {moment(item.due_at)}" if item.state is OutboxState.READY else ""
    return f"{item.state}{tries}{next_try}{said}"


_ids = click.argument("item_ids", type=int, nargs=-1, metavar="[ID]...")


@outbox.command()
@_ids
@click.option("--to", default=None, help="All that wait for this address.")
@click.option("--all", "everything", is_flag=True, help="All that wait.")
def hold(item_ids: tuple[int, ...], to: str | None, everything: bool) -> None:
    """Keep mails back until they are released."""
    _insist_on_choice(item_ids, to, everything)
    folder = contest_folder()
    with folder.store.write() as tx:
        held = outbox_store.hold(tx, ids=item_ids, to=to)
        _note(folder, tx, "held", held)
    _tell("held", held, item_ids, OutboxState.READY)


@outbox.command()
@_ids
@click.option("--to", default=None, help="All that are held for this address.")
@click.option("--all", "everything", is_flag=True, help="All that are held.")
@dry_run_option
def release(item_ids: tuple[int, ...], to: str | None, everything: bool, dry_run: bool) -> None:
    """Let mails go that were held.

    Where all mails were stopped (`knobeln status` says so), --all ends that first, and releases none.
    """
    _insist_on_choice(item_ids, to, everything)
    folder = contest_folder()
    with change(folder, dry_run=dry_run) as tx:
        if everything and outbox_store.go_on(tx):
            note(tx, "mails", "mails go out again", folder.clock.now(), actor=operator())
            click.echo("Mails go out again. Those that are held by themselves still are.")
            return
        released = outbox_store.release(tx, folder.clock.now(), ids=item_ids, to=to)
        _note(folder, tx, "released", released)
        if dry_run:
            print_mails(folder, tx, outbox_store.items(tx, released))
    _tell("released", released, item_ids, OutboxState.HELD, dry_run=dry_run)


@outbox.command("retry")
@_ids
@click.option("--to", default=None, help="All to this address, also what came back.")
@click.option("--all", "everything", is_flag=True, help="All that failed or wait for another try.")
@dry_run_option
def retry_outbox(item_ids: tuple[int, ...], to: str | None, everything: bool, dry_run: bool) -> None:
    """Send mails again that failed, came back, or wait for another try: at once."""
    _insist_on_choice(item_ids, to, everything)
    folder = contest_folder()
    with change(folder, dry_run=dry_run) as tx:
        again = outbox_store.retry(tx, folder.clock.now(), ids=item_ids, to=to)
        _note(folder, tx, "to be sent at once", again)
        if dry_run:
            print_mails(folder, tx, outbox_store.items(tx, again))
    states = (OutboxState.FAILED, OutboxState.BOUNCED, OutboxState.READY)
    _tell("to be sent at once", again, item_ids, *states, dry_run=dry_run)


def _note(folder: ContestContext, tx: Transaction, what: str, done: tuple[int, ...]) -> None:
    """For the log; nothing where nothing was done."""
    if done:
        which = _number_of(done) + (f": {', '.join(map(str, done))}" if len(done) <= NAMED_AT_MOST else "")
        note(tx, "outbox", f"{which} {what}", folder.clock.now(), actor=operator())


def _number_of(done: tuple[int, ...]) -> str:
    return f"{len(done)} {form(len(done), 'mail')}"


def _insist_on_choice(item_ids: tuple[int, ...], to: str | None, everything: bool) -> None:
    if (bool(item_ids), to is not None, everything).count(True) != 1:
        raise click.UsageError("say which mails: by their IDs, by --to ADDRESS, or --all")


def _tell(
    what: str, done: tuple[int, ...], wanted: tuple[int, ...], *states: OutboxState, dry_run: bool = False
) -> None:
    """What was done; raises NotFound where none of it could be."""
    others = [str(item_id) for item_id in wanted if item_id not in done]
    if others:
        names = " or ".join(states)
        left = f"Not {names}, so left as they are: {', '.join(others)} (see `knobeln outbox list`)."
        tell(left, dry_run=dry_run)
    if wanted and not done:
        raise NotFound("nothing was changed")
    tell(f"{_number_of(done)} {what}.", dry_run=dry_run)


@outbox.command()
@click.option("--dry-run", is_flag=True, help="Print what is due as a mailbox (mbox), and change nothing.")
def flush(dry_run: bool) -> None:
    """Deliver now what is due, where no `knobeln serve` does it."""
    folder = contest_folder()
    if dry_run:
        _print_due(folder)
        return
    with folder.store.read() as tx:
        stopped = outbox_store.stopped(tx)
    if stopped:
        raise NotNow(f"{stopped[1]}; `knobeln outbox release --all` lets the mails go")
    done = deliver_all(folder, transport_of(folder.settings, folder.path))
    if done is None:
        click.echo("Another process is delivering.")
    else:
        mails_are_printed = folder.settings.mail.delivery is DeliveryKind.STDOUT
        words = f"{done.sent} sent, {done.deferred} deferred, {done.failed} failed."
        click.echo(words, err=mails_are_printed)


def _print_due(folder: ContestContext) -> None:
    out, last = StreamTransport(sys.stdout.buffer), 0
    while True:
        with folder.store.read() as tx:
            items = outbox_store.due(tx, folder.clock.now(), PRINTED_AT_ONCE, after=last)
            sender = senders(tx, folder.settings)
        for item in items:
            out.send(sender(item.id), item.to, item.raw)
            last = item.id
        if not items:
            return
