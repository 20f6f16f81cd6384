"""`knobeln receive`, which a mail system starts for every letter."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from pathlib import Path

import click

from contest.errors import EX_OK, EX_TEMPFAIL, KnobelnError
from contest.util.log import log
from knobeln.cli.contest_option import ContestCommand, contest_path
from mailserver.intake.hand_over import exit_code, offer


@click.command(cls=ContestCommand)
@click.argument(
    "file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True),
    default="-",
)
@click.option(
    "--sender",
    default=None,
    help="The envelope sender; default: the letter's Return-Path. '' = null sender.",
)
@click.option(
    "--recipient",
    "recipients",
    multiple=True,
    help=(
        "An envelope recipient; may be repeated. Default: the letter's Delivered-To and similar"
        " headers."
    ),
)
def receive(file: Path, sender: str | None, recipients: tuple[str, ...]) -> None:
    """Take one letter from FILE or standard input. It is stored, and then handled.

    If `knobeln serve` runs, it stores and handles the letter; if not, this command does.

    The command prints nothing unless something is wrong: mail systems treat any output as an error.

    Exit code 0: the letter is safe, whatever it says (its answer is in the outbox). 65: it is not a
    letter, or it or its headers are too large. 75: we cannot take it now; try again.
    """
    log.least = logging.WARNING
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        _leave(EX_TEMPFAIL, str(error))
    if taken := offer(contest_path(), raw, sender, recipients):
        code, reason = taken
        if code != EX_OK:
            _leave(code, reason)
    else:
        _receive_alone(raw, sender, recipients)


def _receive_alone(raw: bytes, sender: str | None, recipients: tuple[str, ...]) -> None:
    """Receive without `serve`; the modules for that take long to import."""
    from knobeln.cli.ordinary_user import open_as_ordinary_user
    from knobeln.services import Services
    from mailserver.intake.accept import SizeLimits, take_named

    try:
        contest = open_as_ordinary_user(quiet=True)
        bounds = SizeLimits(contest.store, contest.settings)
        take_named(bounds, raw, sender, recipients, contest.clock.now())
    except (KnobelnError, OSError) as error:
        _leave(exit_code(error), str(error))
    services = Services(contest)
    try:
        services.handle_letters()
        services.compile_programs()
        services.practise()
    except (KnobelnError, OSError) as error:  # no longer the mail system's business
        _warn(f"the letter is safe, but waits: {error}", "yellow")


def _leave(code: int, why: str) -> None:
    _warn(why, "red")
    raise SystemExit(code)


def _warn(text: str, color: str) -> None:
    with suppress(OSError):  # the exit code decides about the letter
        click.secho(f"knobeln: {text}", fg=color, err=True)
