"""Letters in, by hand: receive, letters."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import click
import structlog

from knobeln.cli.chosen import ContestCommand, ContestGroup
from knobeln.cli.folder import ContestFolder, contest_folder
from knobeln.cli.services import Services
from knobeln.cli.show import json_option, moment, print_json, table
from knobeln.errors import KnobelnError, NotFound
from knobeln.model import LetterState
from knobeln.store import letters as letter_store
from knobeln.store import practices, submissions
from mailserver.intake import envelope
from mailserver.intake.accept import accept
from mailserver.intake.bounds import Bounds

EX_OK, EX_DATAERR, EX_TEMPFAIL = 0, 65, 75  # sysexits.h, which all mail systems understand


@click.command(cls=ContestCommand)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), default="-")
@click.option(
    "--sender", default=None, help="The envelope sender; default: the letter's Return-Path. '' = null sender."
)
@click.option(
    "--recipient",
    "recipients",
    multiple=True,
    help="An envelope recipient; may be repeated. Default: the letter's Delivered-To and its like.",
)
def receive(file: Path, sender: str | None, recipients: tuple[str, ...]) -> None:
    """Take one letter from FILE or standard input, keep it, and do what it says.

    It is silent unless something is wrong: mail systems take every word for an error.

    Exit code 0: the letter is safe, whatever it says (its answer is in the outbox). 65: it is no letter, or
    too large. 75: we cannot take it now, try again.
    """
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        folder = contest_folder()
    except (KnobelnError, OSError) as error:
        _leave(EX_TEMPFAIL, str(error))
    raw = envelope.without_from_line(raw)
    if not raw.strip():
        _leave(EX_DATAERR, "there is no letter: the input is empty")
    try:
        noted = envelope.of(raw)
        # Only a mail system that names the sender can mean the null sender by an empty one.
        channel = "receive" if sender is None else "pipe"
        named = noted.sender if sender is None else _readable(sender).strip("<>")
        most = Bounds(folder.store, folder.settings).of_letter(raw, named)
        if len(raw) > most:
            _leave(EX_DATAERR, f"the letter has {len(raw)} bytes, more than {most}")
        reached = [_readable(r) for r in recipients] or noted.recipients
        accept(folder.store, raw, named, reached, channel, folder.clock.now())
    except (KnobelnError, OSError) as error:
        _leave(EX_TEMPFAIL, str(error))
    _work_off(folder)


def _readable(argument: str) -> str:
    """An address as the mail system gave it; bytes that are no text become `?`."""
    return argument.encode(errors="replace").decode()


def _work_off(folder: ContestFolder) -> None:
    """The letter is safe: from here on a failure is ours to repair, and not the mail system's business."""
    services = Services(folder)
    try:
        services.handle_letters()
        services.compile_programs()
        services.practise()
    except (KnobelnError, OSError) as error:
        click.secho(f"knobeln: the letter is safe, but waits: {error}", fg="yellow", err=True)


def _leave(code: int, why: str) -> None:
    click.secho(f"knobeln: {why}", fg="red", err=True)
    raise SystemExit(code)


# --- letters ----------------------------------------------------------------------------------------------
@click.group(cls=ContestGroup, invoke_without_command=True)
@click.option("--state", type=click.Choice([str(s) for s in LetterState]), help="Only letters in this state.")
@click.option("--count", default=50, show_default=True, help="How many, the newest.")
@json_option
@click.pass_context
def letters(context: click.Context, state: str | None, count: int, as_json: bool) -> None:
    """Show the letters that came in; put back those that were set aside."""
    if context.invoked_subcommand is not None:
        return
    with contest_folder().store.read() as tx:
        rows = letter_store.listing(tx, LetterState(state) if state else None, count)
    if as_json:
        print_json(rows)
        return
    cells = [
        (
            r["id"],
            moment(r["received_at"]),
            r["sender"],
            r["channel"],
            r["state"],
            r["note"].strip().split("\n")[-1],
        )
        for r in rows
    ]
    table("letters", ("#id", "received", "sender", "by", "state", "what became of it"), cells)


@letters.command("show")
@click.argument("letter_id", type=int, metavar="ID")
def show_letter(letter_id: int) -> None:
    """Show one letter as it came, and what became of it."""
    with contest_folder().store.read() as tx:
        letter = letter_store.get(tx, letter_id)
        if letter is None:
            raise NotFound(f"there is no letter {letter_id}")
        note = letter_store.note_of(tx, letter_id)
    click.secho(f"{letter.state}: {note}", bold=True, err=True)
    click.echo(letter.raw.decode("utf-8", "replace"))


@letters.command()
@click.argument("letter_id", type=int, metavar="[ID]", required=False)
def retry(letter_id: int | None) -> None:
    """Put back the letters (and programs) that were set aside, or the one letter ID, and handle them."""
    folder = contest_folder()
    with folder.store.write() as tx:
        count = letter_store.retry(tx, letter_id)
        count += submissions.retry(tx) + practices.retry(tx) if letter_id is None else 0
    if letter_id is not None and not count:
        raise NotFound(
            f"no letter {letter_id} was set aside; `knobeln letters --state failed` shows which were"
        )
    services = Services(folder)
    services.handle_letters()
    services.compile_programs()
    services.practise()
    click.echo(f"{count} put back.")
