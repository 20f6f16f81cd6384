"""A whole contest by mail whose server is several processes, on one computer or as if on
several."""

import mailbox
import os
import shutil
import signal
import smtplib
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from email.message import Message
from pathlib import Path

import pytest

from contest.config.settings import Settings, game_settings
from contest.config.template import usual_dates
from contest.model import LetterState, OutboxState, Phase, SubmissionState
from contest.schema.sections import Contest, Mail
from contest.util.clock import SystemClock
from knobellib.samples import house_strategies
from knobeln.context import ContestContext, create_contest
from mailserver.intake.accept import accept
from store import contest_state, ledger, letters, outbox, submissions
from tests.support import killed_at
from tests.support.command_line import knobeln_in
from tests.support.contest_runs import finish
from tests.support.knobeln_server import ROBOT, text_of
from tests.support.letters import letter
from tests.support.mail_world import BELIEVED, form_of_one
from tests.support.postgresql import PostgreSQL, also_by_day, execute
from tests.support.processes import Process, start
from tests.support.servers import free_port, greets, wait_for

TEAMS = ("heavy_lords", "light_ladies", "lucky", "plucky")


class Site:
    """A contest, the folders of its computers, and the processes of its server."""

    def __init__(self, path: Path, *, several_computers: bool) -> None:
        self.path, self.several, self.port = path, several_computers, free_port()
        now = SystemClock().now()
        made = Settings(
            contest=Contest(address=ROBOT),
            dates=usual_dates(now),
            registration=BELIEVED,
            mail=Mail(listen=f"127.0.0.1:{self.port}"),
            game=game_settings({"L": 40}),
        )
        self.contest = create_contest(path / "first", made)
        self.folders = [self.contest.path]
        self.processes: list[Process] = []

    def folder(self) -> Path:
        """The folder of another computer; of this one, where the database is in the folder."""
        if self.several:
            self.folders.append(self.path / f"computer {len(self.folders)}")
            without_socket = shutil.ignore_patterns("*.socket")
            shutil.copytree(self.contest.path, self.folders[-1], ignore=without_socket)
        return self.folders[-1]

    def serve(self, *parts: str, folder: Path | None = None) -> Process:
        command = [sys.executable, "-m", "knobeln", *self._words(parts, folder or self.folder())]
        self.processes.append(start(command, self.path / f"log {len(self.processes)}"))
        return self.processes[-1]

    def serve_and_die(self, step: str, *parts: str) -> Process:
        """A process that dies at this step, and of which the others cannot see that."""
        killer = [sys.executable, killed_at.__file__, step, str(self.path / "mark")]
        command = [*killer, *self._words(parts, self.folder())]
        environment = {**os.environ, "ON_ANOTHER_COMPUTER": "1"}
        self.processes.append(start(command, self.path / f"log {len(self.processes)}", environment))
        return self.processes[-1]

    @staticmethod
    def _words(parts: tuple[str, ...], folder: Path) -> list[str]:
        return ["serve", *(word for part in parts for word in ("--only", part)), "-C", str(folder)]

    def send(self, name: str, subject: str, text: str) -> None:
        sender, number = f"{name}@club.example", self._message_id(name, subject)
        with smtplib.SMTP("127.0.0.1", self.port, timeout=60) as client:
            client.sendmail(sender, [ROBOT], letter(sender, subject, text, Message_ID=number))

    @staticmethod
    def _message_id(name: str, subject: str) -> str:
        return f"<{subject.split(maxsplit=1)[0]}.{name}@club.example>"

    def mails(self) -> list[Message]:
        """All mails that all delivering processes have put into Maildirs."""
        boxes = (
            box for folder in self.folders for box in (folder / "mail").glob("*") if is_made(box)
        )
        return [mail for box in boxes for mail in mailbox.Maildir(box)]

    def answers(self, name: str, subject: str) -> list[Message]:
        wanted = self._message_id(name, subject)
        return [mail for mail in self.mails() if mail["In-Reply-To"] == wanted]

    def waiting(self) -> int:
        with self.contest.store.read() as tx:
            return (
                letters.count_by_state(tx).get(LetterState.NEW, 0)
                + submissions.count_by_state(tx).get(SubmissionState.QUEUED, 0)
                + outbox.count_by_state(tx).get(OutboxState.READY, 0)
            )


def is_made(box: Path) -> bool:
    return all((box / name).is_dir() for name in ("tmp", "new", "cur"))


@pytest.fixture
def site(tmp_path: Path, database: str | None) -> Iterator[Site]:
    made = Site(tmp_path, several_computers=database is not None)
    yield made
    for process in made.processes:
        process.terminate()
    made.contest.store.close()


@pytest.mark.slow
@also_by_day
def test_each_letter_is_answered_once_though_a_worker_dies_in_the_middle_of_a_build(
    site: Site,
) -> None:
    site.serve("intake", "desk", folder=site.contest.path)
    wait_for(lambda: greets(site.port, b"220"))
    doomed = site.serve_and_die("before the compiler", "compile")
    site.serve("compile")
    site.serve("deliver")
    if site.several:
        site.serve("deliver")
    for name in TEAMS:
        site.send(name, "registration for KNOBELN", form_of_one(name, f"{name}@club.example"))
    wait_for(lambda: all(site.answers(name, "registration") for name in TEAMS))
    for name, strategy in zip(TEAMS, house_strategies(), strict=False):
        (welcome,) = site.answers(name, "registration")
        line = next(line for line in text_of(welcome).splitlines() if "<<FROM>>" in line)
        site.send(name, "please compile", f"/*\n{line}\n*/\n{strategy.source}")
    wait_for(lambda: doomed.poll() is not None, "the worker's death")
    assert doomed.poll() == -signal.SIGKILL
    wait_for(lambda: not site.waiting(), "the end of the dead worker's lease")
    for name in TEAMS:
        (report,) = site.answers(name, "please compile")
        assert report["Subject"] == f"KNOBELN: version 1 of {name} is accepted"
    run = [sys.executable, "-m", "knobeln", "run", "--now", "--yes", "-C", str(site.contest.path)]
    assert finish(start(run, site.path / "log of run"), patience=300) == 0
    wait_for(lambda: not site.waiting(), "the last reports")
    with site.contest.store.read() as tx:
        assert contest_state.state(tx).phase is Phase.FINISHED
        assert letters.count_by_state(tx) == {LetterState.HANDLED: 2 * len(TEAMS)}
        assert submissions.count_by_state(tx) == {SubmissionState.BUILT: len(TEAMS)}
        effects = Counter(str(entry.effect) for entry in ledger.entries(tx))
        sent = {item.message_id for item in outbox.queued_after(tx, 0)}
        assert outbox.count_by_state(tx) == {OutboxState.SENT: len(sent)}
    assert effects["registration accepted"] == effects["program accepted"] == len(TEAMS)
    assert Counter(str(mail["Message-ID"]) for mail in site.mails()) == dict.fromkeys(sent, 1)


def ended(process: Process) -> int | None:
    wait_for(lambda: process.poll() is not None)
    return process.poll()


@pytest.mark.slow
def test_a_part_that_may_be_there_once_refuses_to_start_twice_and_the_status_names_missing_ones(
    site: Site, capfd: pytest.CaptureFixture[str]
) -> None:
    def advice() -> str:
        return knobeln_in(site.contest.path, "status").output

    def is_missing(part: str) -> Callable[[], bool]:
        return lambda: f"no process does the part `{part}`" in advice()

    first = site.serve("desk", "compile", folder=site.contest.path)
    wait_for(lambda: "no process does the part `intake`" in advice())
    wait_for(lambda: not is_missing("desk")() and not is_missing("compile")())
    assert is_missing("deliver")()
    assert ended(site.serve("desk")) == 1
    assert "with its part `desk`" in (site.path / "log 1").read_text()
    assert ended(site.serve()) == 1
    worker = site.serve("compile")
    rest = site.serve("intake", "deliver", folder=site.contest.path)
    wait_for(lambda: not is_missing("intake")() and not is_missing("deliver")())
    copy = site.path / "copy.tar.gz"
    knobeln_in(site.contest.path, "backup", copy)
    assert "at work" in knobeln_in(site.contest.path, "restore", copy, code=1).output
    assert all(process.poll() is None for process in (first, worker, rest))
    os.kill(first.pid, signal.SIGKILL)
    wait_for(is_missing("desk"))
    again = site.serve("desk")
    wait_for(lambda: not is_missing("desk")())
    assert again.poll() is None
    assert not is_missing("compile")()


@pytest.mark.slow
@pytest.mark.night
def test_a_part_whose_connections_break_works_on_and_has_its_lock_again(
    tmp_path: Path, postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the database is started anew: nobody else may take the part, and `restore` must be
    refused."""
    monkeypatch.setenv("KNOBELN_DATABASE", postgresql.new_database())
    site = Site(tmp_path, several_computers=True)
    store = site.contest.store
    desk = site.serve("desk")
    try:
        wait_for(lambda: "at work" in (tmp_path / "log 0").read_text())
        store.close()  # or our own connections would break, too
        end_all = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid != pg_backend_pid()"
        )
        execute(store.url, f"{end_all} AND datname = current_database()")
        wait_for(lambda: not store.is_held("serve-desk"))
        wait_for(lambda: store.is_held("serve-desk"))
        raw = f"From: joe@club.example\r\nTo: {ROBOT}\r\nSubject: help\r\n\r\nWhat?\r\n".encode()
        accept(store, raw, "joe@club.example", (ROBOT,), "smtp", SystemClock().now())
        with store.read() as tx:
            assert letters.any_waiting(tx)
        wait_for(lambda: outbox_of(site))
        assert desk.poll() is None
    finally:
        desk.terminate()
        store.close()


def outbox_of(site: Site) -> dict[OutboxState, int]:
    with site.contest.store.read() as tx:
        return outbox.count_by_state(tx)


def test_an_intake_without_a_way_in_says_so(tmp_path: Path) -> None:
    made = Settings(dates=usual_dates(SystemClock().now()), mail=Mail(listen=""))
    create_contest(tmp_path / "contest", made).store.close()
    said = knobeln_in(tmp_path / "contest", "serve", "--only", "intake", code=1).output
    assert "there is nothing to take letters from" in said
    assert ContestContext.open(tmp_path / "contest").who_holds("serve") is False
