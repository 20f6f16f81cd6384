"""The root of the command line: all commands, and what becomes of errors."""

from __future__ import annotations

import errno
import io
import sys

import click

from knobeln import __version__
from knobeln.cli import logs
from knobeln.cli.later import Later, LaterGroup
from knobeln.errors import KnobelnError, TryAgain

EX_FAILED = 1
EX_TEMPFAIL = 75
OF_THE_COMPUTER = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM),
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG),
)
COMMANDS = {
    "init": "organize:init",
    "announce": "announce:announce",
    "serve": "gateway:serve",
    "receive": "receive:receive",
    "letters": "letters:letters",
    "rehearse": "rehearsal:rehearse",
    "run": "contest_day:run",
    "summary": "contest_day:summary",
    "pause": "levers:pause",
    "resume": "levers:resume",
    "disqualify": "levers:disqualify",
    "reinstate": "levers:reinstate",
    "drop": "levers:drop",
    "rerun": "levers:rerun",
    "hold": "levers:hold",
    "release": "levers:release",
    "dates": "levers:dates",
    "log": "levers:log",
    "organizer-string": "levers:organizer_string",
    "teams": "organize:teams",
    "submissions": "submitted:submissions",
    "submit": "submitted:submit",
    "leaderboard": "submitted:leaderboard",
    "hill": "hill:hill",
    "results": "look:results",
    "standings": "look:standings",
    "evolution": "look:show_evolution",
    "site": "site:site",
    "status": "status:status",
    "publish": "publish:publish",
    "verify": "publish:verify",
    "replay": "replay:replay",
    "outbox": "outbox:outbox",
    "check": "programs:check",
    "play": "programs:play",
    "protocol": "programs:protocol",
    "kit": "kit:kit",
    "games": "spoken:games",
    "compare": "spoken:compare",
    "machine": "machine:machine",
    "upgrade": "organize:upgrade",
    "backup": "backup:backup",
    "restore": "backup:restore",
    "doctor": "doctor:doctor",
    "demo": "demo:demo",
}
"""Where each command is: its module in this package, and its function there."""


class Root(LaterGroup):
    """Turns our errors into one clear line and an exit code."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KnobelnError as error:
            click.secho(f"knobeln: {error}", fg="red", err=True)
            ctx.exit(EX_TEMPFAIL if isinstance(error, TryAgain) else EX_FAILED)
        except OSError as error:
            if error.errno not in OF_THE_COMPUTER:
                raise
            where = f": {error.filename}" if error.filename else ""
            click.secho(f"knobeln: cannot read or write: {error.strerror}{where}", fg="red", err=True)
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
    logs.begin()


for name, place in COMMANDS.items():
    main.add_command(Later(name, place))
