"""`knobeln mail`: show the outgoing mails; hold, release, retry and deliver them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from email import message_from_bytes
from email.policy import default as modern

import click

from contest.errors import NotFound, NotNow
from contest.model import OutboxState
from contest.util.plurals import plural
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import NounGroup, open_contest
from knobeln.cli.dry_run import carry_out, operator, reason_option
from knobeln.cli.output import count_option, moment, remark, table, tell_of_more
from knobeln.context import ContestContext
from store import Transaction, outbox
from store.contest_state import note
from store.outbox import ListedMail, OutboxItem


@click.group(cls=NounGroup)
@click.option(
    "--state", type=click.Choice([str(s) for s in OutboxState]), help="Only mails in this state."
)
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
    columns = ("#id", "queued", "to", "subject", "state", "#tries", "problem")
    cells = []
    for row in rows:
        problem = "" if row.state == OutboxState.SENT else _doubt(row) or row.last_response
        facts = row.id, moment(row.created_at), row.to, row.subject, row.state, row.attempts
        cells.append((*facts, problem))
    table("mails", columns, cells, drop=("#tries", "queued", "subject"), is_list=True)


def _doubt(mail: ListedMail | OutboxItem) -> str:
    """That it is not known whether this mail has gone out; "" if it is."""
    if mail.state is not OutboxState.READY or mail.sending_since is None:
        return ""
    return f"being sent since {moment(mail.sending_since)}, or in doubt: it may have arrived"


@mail.command("show")
@click.argument("item_id", type=int, metavar="ID")
@click.option("--raw", is_flag=True, help="Print the mail byte for byte, as it goes out.")
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
    tries = f" after {item.attempts} tries" if item.attempts > 1 else ""
    next_try = f", next try {moment(item.due_at)}" if item.state is OutboxState.READY else ""
    problem = _doubt(item) or item.last_response
    response = f": {problem}" if problem else ""
    click.secho(f"{item.state}{tries}{next_try}{response}", bold=True, err=True)
    for bounce in bounces:
        what = f"{'came back' if bounce.permanent else 'is late'}, says letter {bounce.letter_id}"
        click.secho(f"{moment(bounce.at)}: it {what}: {bounce.diagnosis}", err=True)
    message = message_from_bytes(item.raw, policy=modern)
    for name in ("From", "To", "Subject", "Date"):
        click.echo(f"{name}: {message.get(name, '')}")
    for part in message.iter_attachments():
        click.echo(f"Attachment: {part.get_filename() or ''}")
    body = message.get_body(("plain",))
    click.echo(f"\n{body.get_content() if body else ''}")


MAX_IDS_IN_LOG = 20

_ids = click.argument("item_ids", type=int, nargs=-1, metavar="[ID]...")


@mail.command()
@_ids
@click.option("--all", "everything", is_flag=True, help="All queued mails.")
@reason_option
def hold(item_ids: tuple[int, ...], everything: bool, reason: str) -> None:
    """Hold mails until they are released: the reports of the contest day, or those that you name.

    Without ID or --all they are the reports of the contest day, queued and future.
    """
    contest = open_contest()
    if not _are_named(item_ids, everything):
        carry_out(lambda organizer: organizer.hold(reason), contest)
        return
    with contest.store.write() as tx:
        held = outbox.hold(tx, ids=item_ids)
        _note(contest, tx, "held", held, reason)
    _print_changed("held", held, item_ids, OutboxState.READY)


@mail.command()
@_ids
@click.option("--all", "everything", is_flag=True, help="All held mails.")
@click.option("--reason", default="", help="Why; for the log.")
def release(item_ids: tuple[int, ...], everything: bool, reason: str) -> None:
    """Release mails that are held: the reports of the contest day, or those that you name.

    Without ID or --all they are the reports of the contest day; future reports then go out as
    usual. If all mails are stopped (`knobeln status` says so), --all ends only that, and releases
    no held mail.
    """
    contest = open_contest()
    if not _are_named(item_ids, everything):
        carry_out(lambda organizer: organizer.release(reason), contest)
        return
    with contest.store.write() as tx:
        if everything and outbox.go_on(tx):
            note(
                tx,
                "mails",
                "mails go out again",
                contest.clock.now(),
                actor=operator(),
                reason=reason,
            )
            remark("Mails go out again. Mails that were held one by one are still held.")
            return
        released = outbox.release(tx, contest.clock.now(), ids=item_ids)
        _note(contest, tx, "released", released, reason)
    _print_changed("released", released, item_ids, OutboxState.HELD)


@mail.command()
@_ids
@click.option(
    "--all", "everything", is_flag=True, help="All mails that failed or wait for another try."
)
def retry(item_ids: tuple[int, ...], everything: bool) -> None:
    """Send mails at once that failed, came back, or wait for another try."""
    if not _are_named(item_ids, everything):
        raise click.UsageError("name the mails by their IDs, or by --all")
    contest = open_contest()
    with contest.store.write() as tx:
        again = outbox.retry(tx, contest.clock.now(), ids=item_ids)
        _note(contest, tx, "to be sent at once", again)
    states = (OutboxState.FAILED, OutboxState.BOUNCED, OutboxState.READY)
    _print_changed("to be sent at once", again, item_ids, *states)


def _note(
    contest: ContestContext, tx: Transaction, what: str, done: tuple[int, ...], reason: str = ""
) -> None:
    """Note in the journal which mails were changed, if any."""
    if done:
        ids = f": {', '.join(map(str, done))}" if len(done) <= MAX_IDS_IN_LOG else ""
        text = f"{plural(len(done), 'mail')}{ids} {what}"
        note(tx, "mails", text, contest.clock.now(), actor=operator(), reason=reason)


def _are_named(item_ids: tuple[int, ...], everything: bool) -> bool:
    """Whether the command line names mails. Raises UsageError if it does so in both ways."""
    if item_ids and everything:
        raise click.UsageError("name the mails in one way: by their IDs, or by --all")
    return everything or bool(item_ids)


def _print_changed(
    what: str, done: tuple[int, ...], wanted: tuple[int, ...], *states: OutboxState
) -> None:
    """Print how many mails were changed. Raises NotFound if none of the wanted ones was."""
    others = [str(item_id) for item_id in wanted if item_id not in done]
    if others:
        names = " or ".join(states)
        remark(f"Not {names}, so left as they are: {', '.join(others)} (see `knobeln mail`).")
    if wanted and not done:
        raise NotFound("nothing was changed")
    remark(f"{plural(len(done), 'mail')} {what}.")


@mail.command()
def flush() -> None:
    """Deliver the mails that are due now, if no `knobeln serve` does it."""
    from knobeln.services import deliver_all
    from mailserver.delivery.transports import transport_of

    contest = open_contest()
    with contest.store.read() as tx:
        stopped = outbox.stopped(tx)
    if stopped:
        raise NotNow(stopped.reason, hint="`knobeln mail release --all` lets the mails go")
    done = deliver_all(contest, transport_of(contest.settings, contest.path))
    counts = done and f"{done.sent} sent, {done.deferred} deferred, {done.failed} failed."
    text = counts or "Another process is delivering."
    remark(text)
