"""`knobeln mail`: hold, release, retry and deliver mails."""

from __future__ import annotations

import sys

import click

from contest.errors import NotFound, NotNow
from contest.model import OutboxState
from contest.schema.sections import DeliveryKind
from contest.store import Transaction, outbox
from contest.store.contest_state import note
from contest.util.plurals import plural
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.dry_run import (
    dry_run_option,
    operator,
    organizer_actions,
    print_mails,
    print_outcome,
    reason_option,
    transaction,
)
from knobeln.cli.open_contest import open_contest
from knobeln.cli.output import remark
from knobeln.context import ContestContext
from knobeln.services import deliver_all
from mailserver.delivery.deliver import Delivered, senders
from mailserver.delivery.transports import transport_of
from mailserver.delivery.transports.stdout import StreamTransport

BATCH = 100
MAX_IDS_IN_LOG = 20

_ids = click.argument("item_ids", type=int, nargs=-1, metavar="[ID]...")


@click.command(cls=ContestCommand)
@_ids
@click.option("--to", default=None, help="All queued mails to this address.")
@click.option("--all", "everything", is_flag=True, help="All queued mails.")
@reason_option
def hold(item_ids: tuple[int, ...], to: str | None, everything: bool, reason: str) -> None:
    """Hold mails until they are released: the reports of the contest day, or those that you name.

    Without ID, --to or --all they are the reports of the contest day, queued and future.
    """
    contest = open_contest()
    if not _are_named(item_ids, to, everything):
        with organizer_actions(contest) as organizer:
            done = organizer.hold(reason)
        print_outcome(done)
        return
    with contest.store.write() as tx:
        held = outbox.hold(tx, ids=item_ids, to=to)
        _note(contest, tx, "held", held, reason)
    _print_changed("held", held, item_ids, OutboxState.READY)


@click.command(cls=ContestCommand)
@_ids
@click.option("--to", default=None, help="All held mails to this address.")
@click.option("--all", "everything", is_flag=True, help="All held mails.")
@click.option("--reason", default="", help="Why; for the log.")
@dry_run_option
def release(item_ids: tuple[int, ...], to: str | None, everything: bool, reason: str, dry_run: bool) -> None:
    """Release mails that are held: the reports of the contest day, or those that you name.

    Without ID, --to or --all they are the reports of the contest day; future reports then go out as usual. If
    all mails are stopped (`knobeln status` says so), --all ends only that, and releases no held mail.
    """
    contest = open_contest()
    if not _are_named(item_ids, to, everything):
        with organizer_actions(contest, dry_run=dry_run) as organizer:
            if dry_run:
                print_mails(contest, organizer.tx, outbox.held_reports(organizer.tx))
            done = organizer.release(reason)
        print_outcome(done, dry_run=dry_run)
        return
    with transaction(contest, dry_run=dry_run) as tx:
        if everything and outbox.go_on(tx):
            note(tx, "mails", "mails go out again", contest.clock.now(), actor=operator(), reason=reason)
            remark("Mails go out again. Mails that were held one by one are still held.")
            return
        released = outbox.release(tx, contest.clock.now(), ids=item_ids, to=to)
        _note(contest, tx, "released", released, reason)
        if dry_run:
            print_mails(contest, tx, outbox.items(tx, released))
    _print_changed("released", released, item_ids, OutboxState.HELD, dry_run=dry_run)


@click.command(cls=ContestCommand)
@_ids
@click.option("--to", default=None, help="All mails to this address, also those that came back.")
@click.option("--all", "everything", is_flag=True, help="All mails that failed or wait for another try.")
@dry_run_option
def retry(item_ids: tuple[int, ...], to: str | None, everything: bool, dry_run: bool) -> None:
    """Send mails at once that failed, came back, or wait for another try."""
    if not _are_named(item_ids, to, everything):
        raise click.UsageError("name the mails by their IDs, by --to ADDRESS, or by --all")
    contest = open_contest()
    with transaction(contest, dry_run=dry_run) as tx:
        again = outbox.retry(tx, contest.clock.now(), ids=item_ids, to=to)
        _note(contest, tx, "to be sent at once", again)
        if dry_run:
            print_mails(contest, tx, outbox.items(tx, again))
    states = (OutboxState.FAILED, OutboxState.BOUNCED, OutboxState.READY)
    _print_changed("to be sent at once", again, item_ids, *states, dry_run=dry_run)


def _note(
    contest: ContestContext, tx: Transaction, what: str, done: tuple[int, ...], reason: str = ""
) -> None:
    """Note in the journal which mails were changed, if any."""
    if done:
        ids = f": {', '.join(map(str, done))}" if len(done) <= MAX_IDS_IN_LOG else ""
        text = f"{plural(len(done), 'mail')}{ids} {what}"
        note(tx, "mails", text, contest.clock.now(), actor=operator(), reason=reason)


def _are_named(item_ids: tuple[int, ...], to: str | None, everything: bool) -> bool:
    """Whether the command line names mails. Raises UsageError if it does so in several ways."""
    ways = (bool(item_ids), to is not None, everything).count(True)
    if ways > 1:
        raise click.UsageError("name the mails in one way: by their IDs, by --to ADDRESS, or by --all")
    return ways == 1


def _print_changed(
    what: str, done: tuple[int, ...], wanted: tuple[int, ...], *states: OutboxState, dry_run: bool = False
) -> None:
    """Print how many mails were changed. Raises NotFound if none of the wanted ones was."""
    others = [str(item_id) for item_id in wanted if item_id not in done]
    if others:
        names = " or ".join(states)
        print_outcome(
            f"Not {names}, so left as they are: {', '.join(others)} (see `knobeln mail`).",
            dry_run=dry_run,
        )
    if wanted and not done:
        raise NotFound("nothing was changed")
    print_outcome(f"{plural(len(done), 'mail')} {what}.", dry_run=dry_run)


@click.command(cls=ContestCommand)
@click.option("--dry-run", is_flag=True, help="Print the mails that are due (mbox), and change nothing.")
def flush(dry_run: bool) -> None:
    """Deliver the mails that are due now, if no `knobeln serve` does it."""
    contest = open_contest()
    if dry_run:
        _print_due(contest)
        return
    with contest.store.read() as tx:
        stopped = outbox.stopped(tx)
    if stopped:
        raise NotNow(stopped.reason, hint="`knobeln mail release --all` lets the mails go")
    done = deliver_all(contest, transport_of(contest.settings, contest.path))
    mails_are_printed = contest.settings.mail.delivery is DeliveryKind.STDOUT
    remark(_delivery_text(done), err=mails_are_printed)


def _delivery_text(done: Delivered | None) -> str:
    if done is None:
        return "Another process is delivering."
    return f"{done.sent} sent, {done.deferred} deferred, {done.failed} failed."


def _print_due(contest: ContestContext) -> None:
    out, last = StreamTransport(sys.stdout.buffer), 0
    while True:
        with contest.store.read() as tx:
            items = outbox.due(tx, contest.clock.now(), BATCH, after=last)
            sender = senders(tx, contest.settings)
        for item in items:
            out.send(sender(item.id), item.to, item.raw)
            last = item.id
        if not items:
            return
