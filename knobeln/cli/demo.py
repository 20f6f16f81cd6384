"""`knobeln demo`: a whole contest before your eyes.

The server, the mails and the games are the real ones; only the teams are made up: each sends its form by
SMTP, reads the answer in its Maildir, and mails its program.
"""

from __future__ import annotations

import re
import secrets
import shlex
import smtplib
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default as modern
from importlib.resources import files
from itertools import cycle
from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from knobellib.house import house_strategies
from knobeln import config
from knobeln.cli.contest_day import play
from knobeln.cli.doctor import examine
from knobeln.cli.folder import ContestCommand, ContestFolder
from knobeln.cli.look import show_results
from knobeln.cli.organize import create_contest
from knobeln.cli.show import console
from knobeln.clock import SystemClock, seed_from
from knobeln.config import Contest, Mail, Programs, Settings
from knobeln.errors import GiveUp
from knobeln.form import record_text
from knobeln.model import MailPreference, Member, OutboxState, Registration
from knobeln.store import outbox
from mailserver.transports.maildir import folder_name
from sandbox.process import Process, start

PATIENCE_SECONDS = 120.0
DOMAIN = "teams.example"

PREFERENCES = (
    "LAP,DGP,GRG,RSM",
    "RSM",
    "LGP,GRP,GRR",
    "GRR",
    "LGP,DGP,GRP,GRR,RSM",
    "",
    "GRP,RSM",
    "GRG,GRR",
)
SPECIAL = (
    ("the_heavy_lords_of_knobeln", "example.c"),
    ("syntax_errors_anonymous", "demo/does_not_compile.c"),
    ("printf_debuggers", "demo/forbidden_routine.c"),
    ("rules_are_for_others", "demo/breaks_rules.c"),
)


@dataclass(frozen=True)
class DemoTeam:
    registration: Registration
    program: str

    @property
    def address(self) -> str:
        return self.registration.address


@click.command(cls=ContestCommand)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), required=False)
@click.option(
    "--teams", "count", default=41, show_default=True, type=click.IntRange(5, 500), help="How many teams."
)
@click.option(
    "--seed", default=None, help="Any text; the same seed gives the same contest. Default: a new one."
)
def demo(folder: Path | None, count: int, seed: str | None) -> None:
    """Run a whole contest by mail: registrations, programs, the contest day, reports.

    Everything stays in FOLDER (default: a new one below the system's folder for temporary files), to look at.
    """
    chosen = seed or secrets.token_hex(8)
    path = folder or Path(tempfile.mkdtemp(prefix="knobeln-demo-"))
    _must_be_fit(path)
    contest = create_contest(path, _settings(count), seed=seed_from(f"demo/{chosen}"))
    console.print(f"The contest lives in [bold]{path}[/]; its server writes to {path / 'serve.log'}.")
    server = start([sys.executable, "-m", "knobeln", "serve", "-C", str(path)], path / "serve.log")
    try:
        _Stage(contest, server, _teams(count)).play()
    finally:
        server.terminate()
    show_results(contest)
    _tell_where(contest, chosen)


def _must_be_fit(path: Path) -> None:
    """Raises GiveUp, saying what to mend, rather than wait for a compiler that cannot work here."""
    unfit = [f"\n  {finding.what}: {finding.text}" for finding in examine(path) if not finding.well]
    if unfit:
        raise GiveUp("this computer cannot run a contest yet:" + "".join(unfit))


def _settings(count: int) -> Settings:
    now = SystemClock().now()
    calendar = config.usual_dates(now - timedelta(minutes=1))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return Settings(
        contest=Contest(title="KNOBELN demonstration", address="knobeln@contest.example"),
        dates=calendar,
        mail=Mail(listen_port=port, answers_per_hour=1_000),
        programs=Programs(description="warn"),  # the example of 1994 has none itself
    )


def _teams(count: int) -> tuple[DemoTeam, ...]:
    """The four special ones, and the house strategies, again and again if need be."""
    library = files("knobellib")
    programs = [(name, library.joinpath(path).read_text(encoding="utf-8")) for name, path in SPECIAL]
    house = house_strategies()
    for number in range(count - len(programs)):
        strategy = house[number % len(house)]
        turn = number // len(house)
        programs.append((f"{strategy.name}_{turn + 1}"[:30] if turn else strategy.name, strategy.source))
    return tuple(
        DemoTeam(_registration(number, name, preferences), program)
        for number, ((name, program), preferences) in enumerate(
            zip(programs, cycle(PREFERENCES), strict=False), start=1
        )
    )


def _registration(number: int, name: str, preferences: str) -> Registration:
    return Registration(
        address=f"{name}@{DOMAIN}",
        preferences=tuple(MailPreference(code) for code in preferences.split(",") if code),
        team_name=name,
        organization=f"Society for {name.replace('_', ' ').title()}, Intellect City, Eggland",
        members=(
            Member(f"Player {number}", 20 + number % 50, "programmer", "knows C since the first edition"),
        ),
    )


# --- the play ---------------------------------------------------------------------------------------------
class _Stage:
    """The contest, its server, and the teams' letters and mailboxes."""

    def __init__(self, contest: ContestFolder, server: Process, teams: Sequence[DemoTeam]) -> None:
        self._contest = contest
        self._server = server
        self._teams = teams

    def play(self) -> None:
        mail = self._contest.settings.mail
        self._wait(lambda: _listens(mail), "the server listens")
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
            programs = [self._letter(t, "please compile", self._signed(t)) for t in self._teams]
            self._step(progress, "they mail their programs, the compiler works", programs, mails=2)
        play(self._contest, early=True)
        self._wait(self._all_sent, "the reports are delivered")

    def _step(self, progress: Progress, what: str, letters: Sequence[EmailMessage], mails: int) -> None:
        """Send these letters, and wait until every team has this many mails."""
        task = progress.add_task(what, total=len(self._teams))
        for letter in letters:
            _send(letter, self._contest.settings.mail)

        def all_there() -> bool:
            there = sum(len(self._mails(team)) >= mails for team in self._teams)
            progress.update(task, completed=there)
            return there == len(self._teams)

        self._wait(all_there, what)

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

    def _signed(self, team: DemoTeam) -> str:
        """The team's program below the comment with its authentification string, as its answer shows it."""
        answer = message_from_bytes(self._mails(team)[0].read_bytes(), policy=modern).get_body(("plain",))
        text = answer.get_content() if answer else ""
        found = re.search(r"<<FROM>> *(\S+) +(\S+)", text)
        if found is None:
            raise GiveUp(f"{team.registration.team_name} got no authentification string, but:\n{text}")
        return f"/*\n   <<FROM>> {found[1]} {found[2]}\n*/\n{team.program}"

    def _all_sent(self) -> bool:
        with self._contest.store.read() as tx:
            return outbox.count_by_state(tx).get(OutboxState.READY, 0) == 0

    def _wait(self, until: Callable[[], bool], what: str) -> None:
        """Raises GiveUp when it does not become true in time, or the server has ended."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not until():
            if self._server.poll() is not None:
                raise GiveUp(f"the server ended with exit code {self._server.poll()}; see its serve.log")
            if time.monotonic() > deadline:
                raise GiveUp(f"{what}: not within {PATIENCE_SECONDS:.0f} seconds; see serve.log")
            time.sleep(0.05)


def _send(letter: EmailMessage, mail: Mail) -> None:
    with smtplib.SMTP(mail.listen_host, mail.listen_port, timeout=30) as smtp:
        smtp.send_message(letter)


def _listens(mail: Mail) -> bool:
    try:
        with smtplib.SMTP(mail.listen_host, mail.listen_port, timeout=5) as smtp:
            return smtp.noop()[0] == 250
    except OSError:
        return False


def _tell_where(contest: ContestFolder, seed: str) -> None:
    root = contest.path / contest.settings.mail.maildir_root
    boxes = sorted(path.name for path in root.iterdir())
    console.print(f"\nEach team's mails are in a Maildir below [bold]{root}[/]. Read them:")
    for name in ("the_heavy_lords_of_knobeln", "rules_are_for_others"):
        box = next((b for b in boxes if b.startswith(name)), boxes[0])
        _print_command(f"mutt -f {shlex.quote(str(root / box))}")
    console.print("\nLook around:")
    knobeln = shlex.quote(sys.argv[0])
    for command in ("status", "teams", "results --announce", "outbox list"):
        _print_command(f"{knobeln} {command} -C {shlex.quote(str(contest.path))}")
    console.print("\nPlay the same contest again:")
    _print_command(f"{knobeln} demo --seed {shlex.quote(seed)}")


def _print_command(command: str) -> None:
    """On one line, whatever the terminal's width, so that it can be copied."""
    console.print(f"    {command}", soft_wrap=True, markup=False, highlight=False)
