"""Changes that the organizer makes at the command line: reasons, own words, and dry runs."""

from __future__ import annotations

import getpass
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.policy import default as modern
from pathlib import Path
from typing import TYPE_CHECKING

import click

from contest.errors import GiveUp, NotNow
from knobeln.cli.contest_option import open_contest
from knobeln.cli.output import remark
from knobeln.context import ContestContext
from store import Transaction, outbox
from store.outbox import OutboxItem

if TYPE_CHECKING:
    from mailserver.decision import OrganizerDecision
    from mailserver.organizer_actions import OrganizerActions

_READABLE = modern.clone(utf8=True, cte_type="8bit", linesep="\n")

dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Print the mails that would go out (mbox), and change nothing."
)


def _not_blank(_context: click.Context, _option: click.Parameter, text: str) -> str:
    if not text.strip():
        raise click.BadParameter("it is empty; others will want to know why")
    return text


reason_option = click.option(
    "--reason",
    required=True,
    callback=_not_blank,
    help="Why; for the log, and for the teams that are told.",
)


def operator() -> str:
    """Return who gives commands at this host, for the journal."""
    try:
        return f"command line: {getpass.getuser()}"
    except (OSError, KeyError):  # a user without a name, as in some containers
        return "command line"


class _RollBack(Exception):
    """Ends the transaction of a dry run."""


@contextmanager
def transaction(contest: ContestContext, *, dry_run: bool) -> Iterator[Transaction]:
    """Open a transaction. A dry run prints the mails that it queues, and rolls it back."""
    try:
        with contest.store.write() as tx:
            last = outbox.newest(tx)
            yield tx
            if dry_run:
                print_mails(contest, tx, outbox.queued_after(tx, last))
                raise _RollBack
    except _RollBack:
        remark("This was a dry run: nothing was changed, nothing is sent.", err=True)


def print_mails(contest: ContestContext, tx: Transaction, items: Iterable[OutboxItem]) -> None:
    """Print mails as a mailbox that `mutt -f` can read, and a person at the terminal, too."""
    from mailserver.delivery.deliver import senders  # lists of teams or mails do without

    sender = senders(tx, contest.settings)
    for item in items:
        # The time in the first line is nobody's but the file's: the mail has its own.
        head = f"From {sender(item.id)} Thu Jan  1 00:00:00 1970\nX-Envelope-To: {item.to}\n"
        text = re.sub(rb"(?m)^(>*From )", rb">\1", _readable(item.raw))
        sys.stdout.buffer.write(head.encode() + text.rstrip(b"\n") + b"\n\n")
    sys.stdout.buffer.flush()


def _readable(raw: bytes) -> bytes:
    """This mail with headers and texts in UTF-8 as they are, in place of their encodings."""
    mail = message_from_bytes(raw, policy=_READABLE)
    for part in mail.walk():
        text = part.get_payload(decode=True)
        if part.get_content_maintype() == "text" and isinstance(text, bytes):
            del part["Content-Transfer-Encoding"]
            part["Content-Transfer-Encoding"] = "8bit"
            part.set_payload(text.decode("ascii", "surrogateescape"))
    return mail.as_bytes()


def print_outcome(text: str, *, dry_run: bool = False) -> None:
    """Print what was done; in a dry run on standard error, because the mails are on standard
    output."""
    remark(f"(dry run) {text}" if dry_run else text, err=dry_run)


def carry_out(
    decide: Callable[[OrganizerActions], OrganizerDecision],
    contest: ContestContext | None = None,
    *,
    dry_run: bool = False,
) -> None:
    """Do what the organizer asks for in the contest of -C, and print what was done."""
    contest = contest or open_contest()
    with transaction(contest, dry_run=dry_run) as tx:
        done = act_in(contest, tx, decide)
    print_outcome(done, dry_run=dry_run)


def act_in(
    contest: ContestContext,
    tx: Transaction,
    decide: Callable[[OrganizerActions], OrganizerDecision],
) -> str:
    """Carry out what the organizer decides who types the command. Returns what was done."""
    from mailserver.command import Desk
    from mailserver.write_action import act

    desk = Desk(tx, contest.settings, contest.templates, contest.clock.now())
    return act(desk, operator(), decide)


def own_words(file: Path) -> str:
    """Return the text of the file, `-` for standard input.

    Raises NotNow for an empty text, and GiveUp for a file that is not in UTF-8.
    """
    try:
        with click.open_file(str(file), encoding="utf-8") as stream:
            text: str = stream.read()
    except UnicodeDecodeError as error:
        raise GiveUp(f"{file} is not in UTF-8: {error}") from None
    if not text.strip():
        raise NotNow("the text is empty, so nothing is sent")
    return text.strip()
