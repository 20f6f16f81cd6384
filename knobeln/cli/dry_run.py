"""Changes by the organizer's hand: who it is, and dry runs."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import click

from contest.organizer import OrganizerActions
from contest.store import Transaction, outbox
from contest.store.outbox import OutboxItem
from knobeln.context import ContestContext
from mailserver.delivery.deliver import senders
from mailserver.delivery.transports.stdout import StreamTransport

dry_run_option = click.option(
    "--dry-run",
    is_flag=True,
    help="Print the mails that would go out (mbox), and change nothing.",
)
reason_option = click.option("--reason", required=True, help="Why; for the log, and for those who are told.")


def operator() -> str:
    """Who gives commands at this computer, for the journal."""
    try:
        return f"command line: {getpass.getuser()}"
    except (OSError, KeyError):  # a user without a name, as in some containers
        return "command line"


class _NotMeant(Exception):
    """The transaction must roll back: it was a dry run."""


@contextmanager
def change(folder: ContestContext, *, dry_run: bool) -> Iterator[Transaction]:
    """One transaction. In a dry run the mails that it queues are printed, and nothing is kept."""
    try:
        with folder.store.write() as tx:
            last = outbox.newest(tx)
            yield tx
            if dry_run:
                print_mails(folder, tx, outbox.queued_after(tx, last))
                raise _NotMeant
    except _NotMeant:
        click.echo("This was a dry run: nothing was changed, nothing is sent.", err=True)


def print_mails(folder: ContestContext, tx: Transaction, items: Iterable[OutboxItem]) -> None:
    """As `mutt -f` reads them."""
    out, sender = StreamTransport(sys.stdout.buffer), senders(tx, folder.settings)
    for item in items:
        out.send(sender(item.id), item.to, item.raw)


@contextmanager
def organizer_actions(folder: ContestContext, *, dry_run: bool = False) -> Iterator[OrganizerActions]:
    """The organizer's hand, at this computer."""
    with change(folder, dry_run=dry_run) as tx:
        yield OrganizerActions(tx, folder.settings, folder.templates, folder.clock.now(), operator())


def tell(text: str, *, dry_run: bool = False) -> None:
    """What was done; beside the mails in a dry run."""
    click.echo(f"(dry run) {text}" if dry_run else text, err=dry_run)
