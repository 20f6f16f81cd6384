"""The root of the command line: all commands, and what becomes of errors."""

from __future__ import annotations

import errno
import io
import sys

import click

from knobeln import __version__
from knobeln.cli import (
    announce,
    backup,
    contest_day,
    doctor,
    gateway,
    hill,
    kit,
    letters,
    levers,
    logs,
    look,
    machine,
    organize,
    outbox,
    programs,
    publish,
    rehearsal,
    replay,
    site,
    spoken,
    status,
    submitted,
)
from knobeln.cli.demo import demo
from knobeln.cli.folder import ContestGroup
from knobeln.errors import KnobelnError, TryAgain

EX_FAILED = 1
EX_TEMPFAIL = 75
OF_THE_COMPUTER = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM),
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG),
)


class Root(ContestGroup):
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


for command in (
    organize.init,
    announce.announce,
    gateway.serve,
    letters.receive,
    letters.letters,
    rehearsal.rehearse,
    contest_day.run,
    contest_day.summary,
    levers.pause,
    levers.resume,
    levers.disqualify,
    levers.reinstate,
    levers.drop,
    levers.rerun,
    levers.hold,
    levers.release,
    levers.dates,
    levers.log,
    levers.organizer_string,
    organize.teams,
    submitted.submissions,
    submitted.submit,
    submitted.leaderboard,
    hill.hill,
    look.results,
    look.standings,
    look.show_evolution,
    site.site,
    status.status,
    publish.publish,
    publish.verify,
    replay.replay,
    outbox.outbox,
    programs.check,
    programs.play,
    programs.protocol,
    kit.kit,
    spoken.games,
    spoken.compare,
    machine.machine,
    organize.upgrade,
    backup.backup,
    backup.restore,
    doctor.doctor,
    demo,
):
    main.add_command(command)
