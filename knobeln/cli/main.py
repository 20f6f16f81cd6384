"""The root of the command line: all commands, and what becomes of errors."""

from __future__ import annotations

import errno
import io
import sys

import click

from contest import __version__
from contest.errors import KnobelnError, TryAgain
from knobeln import log_setup
from knobeln.cli.lazy import LazyCommand, LazyGroup

EX_FAILED = 1
EX_TEMPFAIL = 75
OF_THE_COMPUTER = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM),
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG),
)
COMMANDS = {
    "init": "cli.organize:init",
    "announce": "cli.announce:announce",
    "serve": "server.gateway:serve",
    "receive": "cli.receive:receive",
    "letters": "cli.letters:letters",
    "rehearse": "contest_day.rehearsal:rehearse",
    "run": "contest_day.run:run",
    "summary": "contest_day.run:summary",
    "pause": "cli.organizer_actions:pause",
    "resume": "cli.organizer_actions:resume",
    "disqualify": "cli.organizer_actions:disqualify",
    "reinstate": "cli.organizer_actions:reinstate",
    "drop": "cli.organizer_actions:drop",
    "rerun": "cli.organizer_actions:rerun",
    "hold": "cli.organizer_actions:hold",
    "release": "cli.organizer_actions:release",
    "dates": "cli.organizer_actions:dates",
    "log": "cli.organizer_actions:log",
    "organizer-string": "cli.organizer_actions:organizer_string",
    "teams": "cli.organize:teams",
    "submissions": "cli.submissions:submissions",
    "submit": "cli.submissions:submit",
    "leaderboard": "cli.submissions:leaderboard",
    "hill": "cli.hill:hill",
    "results": "cli.results:results",
    "standings": "cli.results:standings",
    "evolution": "cli.results:show_evolution",
    "site": "server.site:site",
    "status": "cli.status:status",
    "publish": "contest_day.publish:publish",
    "verify": "contest_day.publish:verify",
    "replay": "cli.replay:replay",
    "outbox": "cli.outbox:outbox",
    "check": "cli.programs:check",
    "play": "cli.programs:play",
    "protocol": "cli.programs:protocol",
    "kit": "cli.kit:kit",
    "games": "cli.games:games",
    "compare": "cli.games:compare",
    "machine": "cli.machine:machine",
    "upgrade": "cli.organize:upgrade",
    "backup": "cli.backup:backup",
    "restore": "cli.backup:restore",
    "doctor": "cli.doctor:doctor",
    "demo": "cli.demo:demo",
}
"""Where each command is: its module in the package `knobeln`, and its function there."""


class Root(LazyGroup):
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
    log_setup.begin()


for name, place in COMMANDS.items():
    main.add_command(LazyCommand(name, place))
