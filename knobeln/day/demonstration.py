"""A demonstration: a complete contest by mail, whose teams are made up.

The server, the mails and the games are real. Each team sends its form by SMTP, reads the answer in
its Maildir, and mails its program.
"""

from __future__ import annotations

import re
import secrets
import smtplib
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default as modern
from functools import cached_property
from pathlib import Path

from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.games.registry import game
from contest.mail.form import record_text
from contest.model import OutboxState
from contest.subprocesses.child_process import Process, own_command, start
from contest.util.clock import SystemClock
from knobeln import presets
from knobeln.context import ContestContext
from knobeln.day.demo_teams import DESCRIPTION, DOMAIN, DemoTeam
from mailserver.delivery.transports import MAILDIRS
from mailserver.delivery.transports.local import folder_name
from store import decisions, outbox

OBJECTIONS = timedelta(seconds=3)  # the time for objections to the list of entries
TIMEOUT_SECONDS = 120.0  # without any progress
LOG = "serve.log"  # of the server, in the contest's folder

ShowCount = Callable[[int], None]
CountBar = Callable[[str, int], AbstractContextManager[ShowCount]]  # label, total


def demo_settings(game_name: str) -> Settings:
    """Return the game's usual contest, open for letters and with its own server. Raises
    NotFound."""
    settings = presets.settings(game_name, SystemClock().now() - timedelta(minutes=1))
    info = game(game_name).info
    changes: dict[str, dict[str, object]] = {
        "contest": {"title": f"{info.title} demonstration", "address": "robot@contest.example"},
        "mail": {"listen": "127.0.0.1:0", "answers_per_hour": 1_000},  # 0: any free port
        "registration": {"confirm": "never"},  # all teams are made up, and write from one domain
        "tournament": {"beacon": "file"},  # the demonstration hands a number in
    }
    changes["programs"] = {"python_packages": ()}  # no sample needs any, and a new system has none
    if info.play.is_in_c:
        # the example of 1994 has no description itself
        changes["programs"] |= {"description": "warn"}
    for name, update in presets.demo(game_name).settings.items():
        changes.setdefault(name, {}).update(update)
    return settings.changed(**changes)


def what_is_shorter(game_name: str) -> str:
    """A sentence about the settings that make the demonstration short; "" if they are the usual
    ones."""
    usual = presets.settings(game_name, SystemClock().now())
    changes = [
        f"{section}.{name} = {value} (usually {getattr(getattr(usual, section), name)})"
        for section, values in presets.demo(game_name).settings.items()
        for name, value in values.items()
    ]
    return f"So that it is short: {', '.join(changes)}." if changes else ""


class Demonstration:
    """The contest, its server, and the teams' letters and mailboxes."""

    def __init__(
        self,
        contest: ContestContext,
        teams: Sequence[DemoTeam],
        count_bar: CountBar,
        play: Callable[[ContestContext], None],
    ) -> None:
        """`count_bar` shows a count on the terminal; `play` plays the contest day."""
        self._contest = contest
        self._teams = teams
        self._count_bar = count_bar
        self._play = play

    def run(self) -> None:
        """Start the server, and let the teams take part until all mails are delivered. Raises
        GiveUp."""
        command = own_command("serve", "-C", str(self._contest.path))
        # The kernel ends the server with us, even if we are killed.
        self._server: Process = start(["setpriv", "--pdeathsig", "TERM", *command], self._log)
        try:
            self._run()
        finally:
            self._server.terminate()

    def _run(self) -> None:
        with self._count_bar("the server starts", 1) as show:
            self._wait(lambda: int(_port(self._log) is not None), 1, "the server listens")
            show(1)
        subject = f"registration for {self._contest.settings.contest.subject_word}"
        forms = [
            self._letter(team, subject, record_text(team.registration)) for team in self._teams
        ]
        self._carry_out(f"{len(self._teams)} teams register by SMTP", 1, forms)
        programs = [self._program(team) for team in self._teams]
        self._carry_out("they mail their programs, the compiler works", 2, programs)
        self._close_compilation()
        self._carry_out("all teams get the list of entries, and may object", 3)
        time.sleep(
            max(0, (self._contest.current().settings.dates.contest_starts - _now()).total_seconds())
        )
        self._play(self._contest.current())
        self._wait_for_delivery("the reports are delivered")

    def _wait_for_delivery(self, step: str) -> None:
        total = self._waiting_mails()
        with self._count_bar(step, total) as show:

            def delivered() -> int:
                count = total - self._waiting_mails()
                show(count)
                return count

            self._wait(delivered, total, step)

    def _close_compilation(self) -> None:
        """Let the dates between the last program and the contest be seconds from now, instead of
        hours."""
        now = _now()
        moved = {
            "registration_closes": now,
            "compilation_closes": now,
            "contest_starts": now + OBJECTIONS,
            "results_published": now + OBJECTIONS,
        }
        with self._contest.store.write() as tx:
            season = self._contest.settings.season
            for name, date in moved.items():
                decisions.move_date(tx, name, getattr(self._contest.written, name), date, season)

    def _carry_out(self, step: str, mails: int, letters: Sequence[EmailMessage] = ()) -> None:
        """Send these letters, if there are any, and wait until every team has this many mails."""
        with self._count_bar(step, len(self._teams)) as show:
            for letter in letters:
                self._send(letter)

            def answered() -> int:
                count = sum(len(self._mails(team)) >= mails for team in self._teams)
                show(count)
                return count

            self._wait(answered, len(self._teams), step)

    @property
    def _log(self) -> Path:
        return self._contest.path / LOG

    @cached_property
    def _server_address(self) -> tuple[str, int]:
        return self._contest.settings.mail.listen_host, _port(self._log) or 0

    def _send(self, letter: EmailMessage) -> None:
        with smtplib.SMTP(*self._server_address, timeout=30) as smtp:
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
        """Return the files in the team's Maildir, oldest first."""
        box = self._contest.path / MAILDIRS / folder_name(team.address)
        return sorted(box.glob("new/*"), key=lambda path: path.stat().st_mtime_ns)

    def _program(self, team: DemoTeam) -> EmailMessage:
        """A letter with the team's program, as its text or attached, and its authentification
        string."""
        from_line = self._from_line(team)
        if "" in team.files:
            return self._letter(
                team, "please compile", f"/*\n   {from_line}\n*/\n{team.files[''].decode()}"
            )
        letter = self._letter(team, "please compile", f"{from_line}\n\n{DESCRIPTION}")
        for name, data in team.files.items():
            letter.add_attachment(
                data, maintype="application", subtype="octet-stream", filename=name
            )
        return letter

    def _from_line(self, team: DemoTeam) -> str:
        """Read the line from the answer to the team's registration."""
        answer = message_from_bytes(self._mails(team)[0].read_bytes(), policy=modern).get_body(
            ("plain",)
        )
        text = answer.get_content() if answer else ""
        line = re.search(r"<<FROM>> *(\S+) +(\S+)", text)
        if line is None:
            raise GiveUp(f"{team.name} got no authentification string, but:\n{text}")
        return f"<<FROM>> {line[1]} {line[2]}"

    def _waiting_mails(self) -> int:
        with self._contest.store.read() as tx:
            return outbox.count_by_state(tx).get(OutboxState.READY, 0)

    def _wait(self, count: Callable[[], int], goal: int, what: str) -> None:
        """Wait until the count has reached the goal, as long as it grows.

        Raises GiveUp if it has not changed for TIMEOUT_SECONDS, or if the server has ended.
        """
        last, deadline = count(), time.monotonic() + TIMEOUT_SECONDS
        while last < goal:
            if self._server.poll() is not None:
                raise GiveUp(
                    f"the server ended with exit code {self._server.poll()}", hint=f"see its {LOG}"
                )
            if time.monotonic() > deadline:
                raise GiveUp(
                    f"{what}: no progress for {TIMEOUT_SECONDS:.0f} seconds", hint=f"see {LOG}"
                )
            time.sleep(0.05)
            before = last
            last = count()
            if last != before:
                deadline = time.monotonic() + TIMEOUT_SECONDS


def _now() -> datetime:
    return SystemClock().now()


def _port(log: Path) -> int | None:
    """Return the port that the server listens at, once its log has it."""
    line = re.search(r" listening .*\bport=(\d+)", log.read_text())
    return int(line[1]) if line else None
