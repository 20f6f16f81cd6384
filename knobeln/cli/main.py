"""The root of the command line: the table of all commands, and the exit code of each error."""

from __future__ import annotations

import errno
import gc
import io
import json
import os
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from keyword import iskeyword
from typing import IO, Any

import click

from contest import __version__
from contest.errors import (
    EX_FAILED,
    EX_INTERRUPTED,
    EX_SOFTWARE,
    EX_TEMPFAIL,
    KnobelnError,
    TryAgain,
)
from knobeln import log_setup
from knobeln.cli.answers import look_for_json, wants_json
from knobeln.cli.contest_option import ContestCommand, ContestGroup

# pydantic looks through all installed packages for its plug-ins, which each command would wait for
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")

_REPEATED = ("serve", "receive", "run")  # what a service manager or a mail system starts again
_WRONG_PLACES = (errno.ENOENT, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR)
COMMANDS = {
    "Set up a contest": {
        "init": "Create a contest in DIR (default: here).",
        "doctor": "Check that this host can run a contest.",
        "serve": "Run the mail server of the contest until SIGTERM.",
        "announce": "Print the announcement of the contest.",
        "class": "Show how far a class is; invite it from a list, print its marks.",
        "receive": "Take one letter from FILE or standard input.",
        "demo": "Run a complete contest by mail, with made-up teams.",
    },
    "Watch it": {
        "status": "Show on one screen where the contest is, what waits, and what you should do.",
        "teams": "Show the teams; decide about them, write to them.",
        "programs": "List the programs that the teams sent, newest first, and the verdict on each.",
        "letters": "Show the letters that came in; retry those set aside; let in ignored ones.",
        "mail": "List the outgoing mails; hold, release and retry them.",
        "dates": "Show the dates, or move them.",
        "log": "Show the journal: what the organizer and the server did, when and why.",
    },
    "Contest day and results": {
        "run": "Play the contest day; rehearse, pause or change it.",
        "results": "Show the rankings and the evolution.",
        "site": "Write the contest's pages into DIR.",
        "publish": "Write the contest's archive to the new folder DIR.",
        "verify": "Compute a contest again from its archive DIR, and compare every result.",
    },
    "At home, without a contest": {
        "check": "Print the compile report for the program in FILE.",
        "play": "Play one game of A against B.",
        "practice": (
            "Let PROGRAM play against all house strategies or sample programs, and show a table."
        ),
        "kit": "Write the software kit that teams work with at home.",
        "games": "List the games and their sample programs.",
    },
    "Maintenance": {
        "backup": "Copy the contest into FILE while everything runs.",
        "restore": "Restore the contest from the backup in FILE.",
        "upgrade": "Bring the database to this version of knobeln.",
        "install-service": "Install systemd's units, so that each CONTEST runs as a service.",
    },
}
"""The commands by section of the help, with the first sentence of their own help."""
FIRST = ("demo", "init", "doctor", "serve", "status", "teams", "run", "results")
"""What one needs first."""
_MODULES = {
    **dict.fromkeys(("init", "doctor"), "set_up"),
    **dict.fromkeys(("announce", "site"), "publish"),
    **dict.fromkeys(("check", "play"), "home"),
    **dict.fromkeys(("restore", "upgrade", "install-service"), "backup"),
    "class": "classes",
    "games": "kit",
    "log": "status",
}  # the others are in the module of their own name


class Failure(click.ClickException):
    """An error as the command line tells it: a line on standard error, or with --json an object.

    `hint`: what to do about it, "" if we do not know.
    """

    def __init__(self, message: str, hint: str, exit_code: int) -> None:
        super().__init__(message)
        self.hint = hint
        # click declares it for the class, and reads it here
        self.exit_code = exit_code  # type: ignore[misc]
        self._as_json = wants_json()
        self._color = click.get_current_context().color

    def show(self, file: IO[Any] | None = None) -> None:
        with suppress(OSError):  # the exit code counts more than the words
            if self._as_json:
                error = {"message": self.message, "hint": self.hint, "exit_code": self.exit_code}
                click.echo(json.dumps(error, ensure_ascii=False), file, err=True)
            else:
                text = f"{self.message}; {self.hint}" if self.hint else self.message
                click.secho(f"knobeln: {text}", file, fg="red", err=True, color=self._color)


class LazyCommand(ContestCommand):
    """A command's entry in the root: its name and its help line. `module` has the command itself.

    Together the commands import everything we have, so a command is imported when it is called. To
    list the commands, or to complete their names, imports none of them. It is click's recipe for
    lazy loading.
    """

    def __init__(self, name: str, module: str, line: str) -> None:
        super().__init__(name, help=line)
        self._module = module

    def load(self) -> click.Command:
        """Import the command itself: `some-name` is the function `some_name`."""
        name = identifier(self.name or "")
        command = getattr(import_module(self._module), name)
        if not isinstance(command, click.Command):
            raise TypeError(f"{self._module} has no command {name}")
        if not gc.isenabled():  # as in knobeln/__main__.py
            gc.freeze()
            gc.enable()
        return command


def identifier(name: str) -> str:
    """The name of the function of a command."""
    name = name.replace("-", "_")
    return f"{name}_" if iskeyword(name) else name


def loaded(command: click.Command) -> click.Command:
    """Return the command itself, also for its entry in the root."""
    return command.load() if isinstance(command, LazyCommand) else command


class Root(ContestGroup):
    """Turns our errors into a line, or with --json into an object, and into an exit code.

    systemd does not start `serve` again after 1, which means that somebody must change something
    first. So no other failure ends with 1.
    """

    def main(self, *args: Any, **extra: Any) -> Any:
        try:
            return super().main(*args, **extra)
        finally:
            log_setup.discard_unwritten()

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and loaded(command), rest

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if os.environ.get("NO_COLOR"):
            ctx.color = False
        if not args and not ctx.resilient_parsing:
            formatter = ctx.make_formatter()
            self.format_usage(ctx, formatter)
            self.format_help_text(ctx, formatter)
            with formatter.section("What you need first"):
                formatter.write_dl([(name, self.commands[name].help or "") for name in FIRST])
            formatter.write_paragraph()
            formatter.write_text(
                "`knobeln --help` lists all commands, and `knobeln COMMAND --help` explains one."
            )
            click.echo(formatter.getvalue().rstrip())
            ctx.exit()
        look_for_json(ctx, args)
        with ctx.scope(cleanup=False), _usage_errors():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            with _usage_errors():
                return super().invoke(ctx)
        except KnobelnError as error:
            code = EX_TEMPFAIL if isinstance(error, TryAgain) else EX_FAILED
            raise Failure(error.message, error.hint, code) from error
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise  # the reader of our output has gone: click knows
            where = f": {error.filename}" if error.filename else ""
            wrong_place = error.errno in _WRONG_PLACES and ctx.invoked_subcommand not in _REPEATED
            message = f"cannot read or write: {error.strerror or error}{where}"
            raise Failure(message, "", EX_FAILED if wrong_place else EX_TEMPFAIL) from error
        except (KeyboardInterrupt, click.Abort):
            raise click.exceptions.Exit(EX_INTERRUPTED) from None
        except (click.exceptions.Exit, click.ClickException):
            raise
        except Exception as error:
            raise Failure(f"unexpected error\n{traceback.format_exc()}", "", EX_SOFTWARE) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section, lines in COMMANDS.items():
            with formatter.section(section):
                formatter.write_dl(list(lines.items()))


@contextmanager
def _usage_errors() -> Iterator[None]:
    """Turn click's errors, which are sentences, into our own, which go on with a hint."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        hint = f"`{error.ctx.command_path} --help` shows the usage" if error.ctx else ""
        is_value = isinstance(error, click.BadParameter) and isinstance(error.param, click.Argument)
        # one that is missing has no message
        text = (is_value and error.message) or error.format_message()
        text = text.replace("a valid integer", "a whole number").replace(
            "a valid float", "a number"
        )
        text, *near = re.split(r"\.? \(?Did you mean ", text.removesuffix("."))
        if near:
            hint = f"did you mean {near[0].rstrip(')')}"
        elif is_value:
            hint = ""
        raise Failure(f"{text[:1].lower()}{text[1:]}", hint, error.exit_code) from error


@click.group("knobeln", cls=Root, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="knobeln")
def main() -> None:
    """A contest server that lives in a mailbox.

    Teams register by mail, mail their programs and get a compile report. On contest day you start
    the run, and every team gets the reports that it asked for.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # print `?` for what an old terminal does not have
    log_setup.begin()


for _lines in COMMANDS.values():
    for _name, _line in _lines.items():
        main.add_command(
            LazyCommand(_name, f"knobeln.cli.{_MODULES.get(_name, identifier(_name))}", _line)
        )
