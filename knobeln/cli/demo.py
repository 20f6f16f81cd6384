"""`knobeln demo`: a whole contest before your eyes.

The server, the mails and the games are the real ones; only the teams are made up: each sends its form by
SMTP, reads the answer in its Maildir, and mails its program.
"""

from __future__ import annotations

import re
import secrets
import shlex
import smtplib
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default as modern
from functools import cached_property
from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from contest import presets
from contest.clock import SystemClock
from contest.config.sections import DEFAULT_GAME
from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.games.registry import game
from contest.model import OutboxState
from contest.registration_form import record_text
from contest.seeds import seed_from
from contest.store import outbox
from contest.subprocesses.child_process import Process, start
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.demo_teams import DESCRIPTION, DOMAIN, DemoTeam, demo_teams
from knobeln.cli.doctor import examine
from knobeln.cli.organize import create_contest
from knobeln.cli.output import console
from knobeln.cli.results import show_results
from knobeln.contest_day.run import play
from knobeln.context import ContestContext
from mailserver.delivery.transports.maildir import folder_name

PATIENCE_SECONDS = 120.0
LOG = "serve.log"  # of the server, in the contest's folder


@click.command(cls=ContestCommand)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), required=False)
@click.option(
    "--game", "game_name", default=DEFAULT_GAME, show_default=True, help="`knobeln games` lists them."
)
@click.option(
    "--teams",
    "count",
    default=None,
    type=click.IntRange(5, 500),
    help="How many teams; default: 41, and 12 in other games than KNOBELN.",
)
@click.option(
    "--seed", default=None, help="Any text; the same seed gives the same contest. Default: a new one."
)
def demo(folder: Path | None, game_name: str, count: int | None, seed: str | None) -> None:
    """Run a whole contest by mail: registrations, programs, the contest day, reports.

    Everything stays in FOLDER (default: a new one below the system's folder for temporary files), to look at.
    """
    chosen = seed or secrets.token_hex(8)
    path = folder or Path(tempfile.mkdtemp(prefix="knobeln-demo-"))
    _must_be_fit(path)
    settings = _settings(game_name)
    teams = demo_teams(settings, count or (41 if game_name == DEFAULT_GAME else 12))
    contest = create_contest(path, settings, seed=seed_from(f"demo/{chosen}"))
    console.print(f"The contest lives in [bold]{path}[/]; its server writes to {path / LOG}.")
    server = start([sys.executable, "-m", "knobeln", "serve", "-C", str(path)], path / LOG)
    try:
        _Stage(contest, server, teams).play()
    finally:
        server.terminate()
    show_results(contest)
    _tell_where(contest, game_name, count, chosen)


def _must_be_fit(path: Path) -> None:
    """Raises GiveUp, saying what to mend, rather than wait for a compiler that cannot work here."""
    unfit = [f"\n  {finding.what}: {finding.text}" for finding in examine(path) if not finding.well]
    if unfit:
        raise GiveUp("this computer cannot run a contest yet:" + "".join(unfit))


def _settings(game_name: str) -> Settings:
    """The game's usual contest, with its doors open and a server of its own. Raises NotFound."""
    settings = presets.settings(game_name, SystemClock().now() - timedelta(minutes=1))
    dates = settings.dates
    title = f"{game(game_name).info.title} demonstration"
    changes = {
        "contest": {"title": title, "address": "robot@contest.example"},
        "mail": {"listen_port": 0, "answers_per_hour": 1_000},  # any that is free when it listens
    }
    if game_name == DEFAULT_GAME:
        changes["programs"] = {"description": "warn"}  # the example of 1994 has none itself
    sections = {name: getattr(settings, name).model_copy(update=update) for name, update in changes.items()}
    return settings.model_copy(update={**sections, "dates": dates})


# --- the play ---------------------------------------------------------------------------------------------
class _Stage:
    """The contest, its server, and the teams' letters and mailboxes."""

    def __init__(self, contest: ContestContext, server: Process, teams: Sequence[DemoTeam]) -> None:
        self._contest = contest
        self._server = server
        self._teams = teams

    def play(self) -> None:
        self._wait(lambda: _port(self._log) is not None, "the server listens")
        columns = (
            TextColumn("{task.description:<48}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=console) as progress:
            word = self._contest.settings.contest.subject_word
            forms = [
                self._letter(t, f"registration for {word}", record_text(t.registration)) for t in self._teams
            ]
            self._step(progress, f"{len(self._teams)} teams register by SMTP", forms, mails=1)
            programs = [self._program(team) for team in self._teams]
            self._step(progress, "they mail their programs, the compiler works", programs, mails=2)
        play(self._contest, early=True)
        self._wait(self._all_sent, "the reports are delivered")

    def _step(self, progress: Progress, what: str, letters: Sequence[EmailMessage], mails: int) -> None:
        """Send these letters, and wait until every team has this many mails."""
        task = progress.add_task(what, total=len(self._teams))
        for letter in letters:
            self._send(letter)

        def all_there() -> bool:
            there = sum(len(self._mails(team)) >= mails for team in self._teams)
            progress.update(task, completed=there)
            return there == len(self._teams)

        self._wait(all_there, what)

    @property
    def _log(self) -> Path:
        return self._contest.path / LOG

    @cached_property
    def _door(self) -> tuple[str, int]:
        """Where the server listens, which it has said."""
        return self._contest.settings.mail.listen_host, _port(self._log) or 0

    def _send(self, letter: EmailMessage) -> None:
        with smtplib.SMTP(*self._door, timeout=30) as smtp:
            smtp.send_message(letter)

    def _letter(self, team: DemoTeam, subject: str, body: str) -> EmailMessage:
        letter = EmailMessage()
        letter["From"] = team.address
        letter["To"] = self._contest.settings.contest.address
        letter["Subject"] = subject
        letter["Message-ID"] = f"<{secrets.token_hex(12)}@{DOMAIN}>"
        letter.set_content(body)
        return letter

    def _mails(self, team: DemoTeam) -> list[Path]:
        """The files in the team's Maildir, oldest first."""
        box = self._contest.path / self._contest.settings.mail.maildir_root / folder_name(team.address)
        return sorted(box.glob("new/*"), key=lambda path: path.stat().st_mtime_ns)

    def _program(self, team: DemoTeam) -> EmailMessage:
        """The team's program, as the letter's text or attached, with its authentification string."""
        from_line = self._from_line(team)
        if "" in team.files:
            return self._letter(team, "please compile", f"/*\n   {from_line}\n*/\n{team.files[''].decode()}")
        letter = self._letter(team, "please compile", f"{from_line}\n\n{DESCRIPTION}")
        for name, data in team.files.items():
            letter.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
        return letter

    def _from_line(self, team: DemoTeam) -> str:
        """As the answer to its registration shows it."""
        answer = message_from_bytes(self._mails(team)[0].read_bytes(), policy=modern).get_body(("plain",))
        text = answer.get_content() if answer else ""
        found = re.search(r"<<FROM>> *(\S+) +(\S+)", text)
        if found is None:
            raise GiveUp(f"{team.name} got no authentification string, but:\n{text}")
        return f"<<FROM>> {found[1]} {found[2]}"

    def _all_sent(self) -> bool:
        with self._contest.store.read() as tx:
            return outbox.count_by_state(tx).get(OutboxState.READY, 0) == 0

    def _wait(self, until: Callable[[], bool], what: str) -> None:
        """Raises GiveUp when it does not become true in time, or the server has ended."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not until():
            if self._server.poll() is not None:
                raise GiveUp(f"the server ended with exit code {self._server.poll()}; see its {LOG}")
            if time.monotonic() > deadline:
                raise GiveUp(f"{what}: not within {PATIENCE_SECONDS:.0f} seconds; see {LOG}")
            time.sleep(0.05)


def _port(log: Path) -> int | None:
    """At which port the server listens, once it has said so."""
    said = re.search(r" listening .*\bport=(\d+)", log.read_text())
    return int(said[1]) if said else None


def _tell_where(contest: ContestContext, game_name: str, count: int | None, seed: str) -> None:
    root = contest.path / contest.settings.mail.maildir_root
    boxes = sorted(path.name for path in root.iterdir())
    console.print(f"\nEach team's mails are in a Maildir below [bold]{root}[/]. Read them:")
    for box in boxes[:1] + boxes[-1:]:
        _print_command(f"mutt -f {shlex.quote(str(root / box))}")
    console.print("\nLook around:")
    knobeln = shlex.quote(sys.argv[0])
    for command in ("status", "teams", "results --announce", "outbox list"):
        _print_command(f"{knobeln} {command} -C {shlex.quote(str(contest.path))}")
    console.print("\nPlay the same contest again:")
    chosen = "" if game_name == DEFAULT_GAME else f" --game {game_name}"
    chosen += f" --teams {count}" if count else ""
    _print_command(f"{knobeln} demo{chosen} --seed {shlex.quote(seed)}")


def _print_command(command: str) -> None:
    """On one line, whatever the terminal's width, so that it can be copied."""
    console.print(f"    {command}", soft_wrap=True, markup=False, highlight=False)
