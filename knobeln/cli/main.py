"""The root of the command line: all commands, and what becomes of errors."""

from __future__ import annotations

import errno
import io
import logging
import sys

import click
import structlog

from knobeln import __version__
from knobeln.cli import (
    contest_day,
    doctor,
    gateway,
    letters,
    look,
    machine,
    organize,
    outbox,
    programs,
    spoken,
    submitted,
)
from knobeln.cli.demo import demo
from knobeln.cli.folder import ContestGroup
from knobeln.errors import KnobelnError, TryAgain

EX_FAILED = 1
EX_TEMPFAIL = 75
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)


class Root(ContestGroup):
    """Turns our errors into one clear line and an exit code."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KnobelnError as error:
            click.secho(f"knobeln: {error}", fg="red", err=True)
            ctx.exit(EX_TEMPFAIL if isinstance(error, TryAgain) else EX_FAILED)
        except OSError as error:
            if error.errno not in UNWRITABLE:
                raise
            click.secho(f"knobeln: cannot write: {error}", fg="red", err=True)
            ctx.exit(EX_TEMPFAIL)


@click.group(cls=Root, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="knobeln")
def main() -> None:
    """A contest server that lives in a mailbox.

    Teams register by mail, mail in their programs and get a compile report; on contest day you start the run,
    and every team gets the reports that it asked for.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # an old terminal shows `?` for what it does not have
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            # Plain tracebacks: richer ones show local variables, and with them letters and their secrets.
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            ),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


for command in (
    organize.init,
    gateway.serve,
    letters.receive,
    letters.letters,
    contest_day.run,
    contest_day.summary,
    organize.teams,
    submitted.submissions,
    submitted.leaderboard,
    look.results,
    look.status,
    outbox.outbox,
    programs.check,
    programs.play,
    programs.protocol,
    spoken.games,
    spoken.compare,
    machine.machine,
    organize.upgrade,
    doctor.doctor,
    demo,
):
    main.add_command(command)
