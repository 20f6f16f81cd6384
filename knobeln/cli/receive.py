"""`knobeln receive`: one letter in, as a mail system hands it over. It is started for every letter."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import click

from contest.errors import KnobelnError
from contest.log import log
from knobeln.cli.contest_option import ContestCommand
from knobeln.context import ContestContext, contest_folder
from knobeln.server.services import Services
from mailserver.intake import envelope
from mailserver.intake.accept import accept
from mailserver.intake.size_limits import SizeLimits

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
    log.least = logging.WARNING
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
        most = SizeLimits(folder.store, folder.settings).of_letter(raw, named)
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


def _work_off(folder: ContestContext) -> None:
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
