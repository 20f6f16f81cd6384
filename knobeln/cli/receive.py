"""`knobeln receive`, which a mail system starts for every letter."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from pathlib import Path

import click

from contest.errors import KnobelnError
from contest.log import log
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.ordinary_user import open_as_ordinary_user
from knobeln.context import ContestContext
from knobeln.services import Services
from mailserver.intake import envelope
from mailserver.intake.accept import accept
from mailserver.intake.size_limits import SizeLimits
from mailserver.reading.mime_parts import has_too_many_headers

EX_OK, EX_DATAERR, EX_TEMPFAIL = 0, 65, 75  # sysexits.h, which all mail systems understand


@click.command(cls=ContestCommand)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), default="-")
@click.option(
    "--sender",
    default=None,
    help="The envelope sender; default: the letter's Return-Path. '' = null sender.",
)
@click.option(
    "--recipient",
    "recipients",
    multiple=True,
    help="An envelope recipient; may be repeated. Default: the letter's Delivered-To and similar headers.",
)
def receive(file: Path, sender: str | None, recipients: tuple[str, ...]) -> None:
    """Take one letter from FILE or standard input. It is stored, and then handled.

    The command prints nothing unless something is wrong: mail systems treat any output as an error.

    Exit code 0: the letter is safe, whatever it says (its answer is in the outbox). 65: it is not a letter,
    or it or its headers are too large. 75: we cannot take it now; try again.
    """
    log.least = logging.WARNING
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        contest = open_as_ordinary_user(quiet=True)
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
        max_bytes = SizeLimits(contest.store, contest.settings).of_letter(raw, named)
        if len(raw) > max_bytes:
            _leave(EX_DATAERR, f"the letter has {len(raw)} bytes, more than {max_bytes}")
        if has_too_many_headers(raw):
            _leave(EX_DATAERR, "its headers are longer than a letter's may be")
        reached = [_readable(r) for r in recipients] or noted.recipients
        accept(contest.store, raw, named, reached, channel, contest.clock.now())
    except (KnobelnError, OSError) as error:
        _leave(EX_TEMPFAIL, str(error))
    _handle(contest)


def _readable(argument: str) -> str:
    """Return an address from the command line; bytes that are not text become `?`."""
    return argument.encode(errors="replace").decode()


def _handle(contest: ContestContext) -> None:
    """Handle what waits. The letter is safe now, so a failure is no longer the mail system's business."""
    services = Services(contest)
    try:
        services.handle_letters()
        services.compile_programs()
        services.practise()
    except (KnobelnError, OSError) as error:
        _warn(f"the letter is safe, but waits: {error}", "yellow")


def _leave(code: int, why: str) -> None:
    _warn(why, "red")
    raise SystemExit(code)


def _warn(text: str, color: str) -> None:
    with suppress(OSError):  # the exit code decides about the letter
        click.secho(f"knobeln: {text}", fg=color, err=True)
