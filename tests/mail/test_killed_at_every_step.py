"""`knobeln serve` is killed at every step of one letter's way: it has exactly one effect and one
answer."""

import mailbox
import os
import re
import shutil
import signal
import smtplib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from contest.config.load import FILE_NAME, load_settings
from contest.config.settings import Settings
from contest.config.template import settings_template, usual_dates
from contest.model import LetterState
from contest.schema.sections import Contest, Imap, Mail
from contest.util.clock import SystemClock
from knobellib.samples import house_strategies
from knobeln import letter_service
from knobeln.context import ContestContext, create_contest
from knobeln.services import Services, deliver_all
from mailserver.delivery.transports import transport_of
from mailserver.intake.accept import accept
from store import ledger, letters, submissions
from tests.support import killed_at
from tests.support.killed_at import STEPS
from tests.support.knobeln_server import is_idle
from tests.support.letters import letter
from tests.support.mail_world import BELIEVED, form_of_one
from tests.support.postgresql import PostgreSQL, drop
from tests.support.processes import Process, start
from tests.support.servers import Dovecot, free_port, wait_for, world_readable_folder

ROBOT, TEAM = "knobeln@contest.example", "joe@club.example"
QUESTION = "<the.program@club.example>"
KILLER = Path(killed_at.__file__)
BY_IMAP = [
    step for step, where in STEPS.items() if where[0] in ("mailserver.intake.imap", "imapclient")
]
BY_RECEIVE = [step for step in STEPS if "handed over" in step]
BY_SMTP = [step for step in STEPS if step not in (*BY_IMAP, *BY_RECEIVE)]
IN_THE_LISTENER = [step for step, where in STEPS.items() if where[1] in ("add_all", "accept_all")]
WITHOUT_MOVE = [step for step in BY_IMAP if STEPS[step][0] == "imapclient"]
IN_ONE_PROCESS = [step for step in BY_SMTP if step not in IN_THE_LISTENER]
# listener, desk, compiler, delivery, mailbox, `receive`; the others are killed at night
ONE_OF_EACH_PART = (
    "the letter is committed, nobody is told",
    "the letter's effect is committed",
    "before the compiler",
    "the report's file is whole",
    "the letter is put away",
    "the letter handed over is committed",
)

pytestmark = pytest.mark.slow


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.night)]
)
def url(request: pytest.FixtureRequest) -> str | None:
    """The database of the prepared contest; None: it is in its folder."""
    if request.param == "sqlite":
        return None
    server: PostgreSQL = request.getfixturevalue("postgresql")
    return server.new_database()


@contextmanager
def named(url: str | None) -> Iterator[None]:
    """KNOBELN_DATABASE is this URL."""
    with pytest.MonkeyPatch.context() as patch:
        if url:
            patch.setenv("KNOBELN_DATABASE", url)
        yield


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, url: str | None) -> tuple[Path, bytes]:
    """A contest in which a team has registered, and the letter that brings its program."""
    path = tmp_path_factory.mktemp("prepared") / "contest"
    now = SystemClock().now()
    settings = Settings(
        contest=Contest(address=ROBOT), dates=usual_dates(now), registration=BELIEVED
    )
    with named(url):
        folder = create_contest(path, settings)
    registration = letter(TEAM, "registration for KNOBELN", form_of_one("heavy_lords", TEAM))
    accept(folder.store, registration, TEAM, (ROBOT,), "smtp", now)
    Services(folder).handle_letters()
    deliver_all(folder, transport_of(folder.settings, path))
    folder.store.close()
    (welcome,) = mailbox.Maildir(path / "mail" / TEAM)
    line = re.search(r"<<FROM>> \S+ \S+", str(welcome))
    source = f"/*\n  {line[0]}\n*/\n{house_strategies()[0].source}"
    return path, letter(TEAM, "please compile", source, Message_ID=QUESTION)


class Server:
    """`knobeln serve` on a copy of the contest, with other settings."""

    def __init__(self, prepared: Path, path: Path, **sections: object) -> None:
        shutil.copytree(prepared, path / "contest")
        self.path, self.log, self.mark = path / "contest", path / "log", path / "mark"
        settings = load_settings(self.path).model_copy(update=sections)
        (self.path / FILE_NAME).write_text(settings_template(settings))
        self.folder = ContestContext.open(self.path)
        self.process: Process | None = None
        self.starts = 0

    def start(self, step: str) -> None:
        """It dies at this step; another time it does not."""
        self.starts += 1
        command = [sys.executable, str(KILLER), step, str(self.mark), "serve", "-C", str(self.path)]
        self.process = start(
            command, self.log, {**os.environ, "KNOBELN_SET_IMAP__PASSWORD": "secret"}
        )

    def wait_until_killed(self) -> None:
        assert self.process is not None
        wait_for(lambda: self.process.poll() is not None, "to get to this step")
        assert self.process.poll() == -signal.SIGKILL, self.log.read_text()

    def is_idle(self) -> bool:
        with self.folder.store.read() as tx:
            came = sum(letters.count_by_state(tx).values()) > 1
        return came and is_idle(self.folder)

    def effects(self) -> tuple[dict[LetterState, int], list[int], list[str], list[str]]:
        """The letters, the versions of the team's program, the ledger, and the subjects of the
        answers."""
        with self.folder.store.read() as tx:
            states, versions = (
                letters.count_by_state(tx),
                list(submissions.count_versions(tx).values()),
            )
            recorded = [str(entry.effect) for entry in ledger.entries(tx)]
        mails = [
            m for m in mailbox.Maildir(self.path / "mail" / TEAM) if m["In-Reply-To"] == QUESTION
        ]
        return states, versions, recorded, [str(mail["Subject"]) for mail in mails]


def killed(steps: list[str]) -> pytest.MarkDecorator:
    """One step of each part by day, all at night."""
    return pytest.mark.parametrize(
        "step",
        [pytest.param(x, marks=[] if x in ONE_OF_EACH_PART else pytest.mark.night) for x in steps],
    )


RECORDED = ["contest made", "registration accepted", "program accepted"]
ONCE = ({LetterState.HANDLED: 2}, [1], RECORDED, ["KNOBELN: version 1 of heavy_lords is accepted"])


@pytest.fixture
def serve(
    prepared: tuple[Path, bytes], url: str | None, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Server]]:
    made: list[Server] = []

    def make(**sections: object) -> Server:
        made.append(Server(prepared[0], tmp_path, **sections))
        return made[-1]

    own = request.getfixturevalue("postgresql").new_database(like=url) if url else None
    with named(own):
        yield make
    for server in made:
        server.folder.store.close()
        if server.process is not None:
            server.process.terminate()
    if own:
        drop(own)


def killed_and_restarted(server: Server, step: str) -> None:
    server.wait_until_killed()
    server.start(step)
    wait_for(server.is_idle, "the rest of the way")
    time.sleep(0.5)  # what came twice would come now
    assert server.effects() == ONCE


@killed(BY_SMTP)
def test_a_letter_by_smtp(
    step: str, serve: Callable[..., Server], prepared: tuple[Path, bytes]
) -> None:
    port = free_port()
    server = serve(mail=Mail(listen=f"127.0.0.1:{port}"))
    server.start(step)

    def is_taken() -> bool:
        """A mail system offers it until it is taken."""
        try:
            with smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
                client.sendmail(TEAM, [ROBOT], prepared[1])
        except OSError:  # also all of smtplib's own
            if (
                server.mark.exists()
                and server.process is not None
                and server.process.poll() is not None
            ):
                server.start(step)
            return False
        return True

    wait_for(is_taken)
    if step in IN_THE_LISTENER:
        assert server.process is not None
        assert server.mark.exists()
        wait_for(server.is_idle)
        assert server.effects() == ONCE
        assert server.process.poll() is None
        assert "exit code -9" in server.log.read_text()
    elif server.starts == 1:  # it has still to die, or is dying just now
        killed_and_restarted(server, step)
    else:  # killed before the letter was taken, and started again since
        wait_for(server.is_idle)
        assert server.effects() == ONCE


@killed([step for step in BY_IMAP if step not in WITHOUT_MOVE])
def test_a_letter_by_imap(
    step: str, serve: Callable[..., Server], prepared: tuple[Path, bytes]
) -> None:
    with world_readable_folder() as folder:
        dovecot = Dovecot(folder)
        try:
            by_imap(dovecot, step, serve, prepared[1])
        finally:
            dovecot.stop()


@killed(WITHOUT_MOVE)
def test_a_letter_by_imap_without_move(
    step: str, serve: Callable[..., Server], prepared: tuple[Path, bytes]
) -> None:
    with world_readable_folder() as folder:
        dovecot = Dovecot(folder, capabilities="IMAP4rev1 IDLE UIDPLUS")
        try:
            by_imap(dovecot, step, serve, prepared[1])
        finally:
            dovecot.stop()


def by_imap(dovecot: Dovecot, step: str, serve: Callable[..., Server], raw: bytes) -> None:
    mailbox_there = Imap(server=f"localhost:{dovecot.imap}", security="none", username="robot")
    server = serve(mail=Mail(listen=""), imap=mailbox_there)
    with smtplib.LMTP("127.0.0.1", dovecot.lmtp, timeout=20) as client:
        client.sendmail(TEAM, ["robot"], raw)
    server.start(step)
    killed_and_restarted(server, step)


@killed(BY_RECEIVE)
def test_a_letter_that_receive_hands_over(
    step: str, serve: Callable[..., Server], prepared: tuple[Path, bytes]
) -> None:
    server = serve(mail=Mail(listen=f"127.0.0.1:{free_port()}"))
    server.start(step)
    wait_for(lambda: "listening" in server.log.read_text())
    command = [sys.executable, "-m", "knobeln", "receive", "--sender", TEAM, "-C", str(server.path)]
    subprocess.run(command, input=prepared[1], check=True)
    killed_and_restarted(server, step)


class _Ended(BaseException):
    """Nothing of ours catches it, as nothing catches a kill."""


@pytest.mark.parametrize("step", IN_ONE_PROCESS)
def test_a_process_that_ends_at_a_step_leaves_the_rest_to_the_next(
    step: str,
    serve: Callable[..., Server],
    prepared: tuple[Path, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = serve()
    accept(server.folder.store, prepared[1], TEAM, (ROBOT,), "smtp", server.folder.clock.now())

    def work() -> None:
        at_work = Services(server.folder)
        at_work.handle_letters()
        at_work.compile_programs(at_once=True)
        deliver_all(server.folder, transport_of(server.folder.settings, server.path))

    def end(mark: Path) -> None:
        if not mark.exists():
            mark.touch()
            raise _Ended

    with monkeypatch.context() as patch:
        patch.setattr(killed_at, "die_once", end)
        killed_at.arm(step, server.mark, patch.setattr)
        with pytest.raises(_Ended):
            work()
    work()
    assert server.effects() == ONCE


def test_of_letters_handled_together_none_is_lost_or_answered_twice(
    serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    store, now = server.folder.store, server.folder.clock.now()
    for number in range(3):
        accept(
            store, letter(TEAM, "please compile", f"int x{number};"), TEAM, (ROBOT,), "smtp", now
        )
    finish, finished = letters.finish, []

    def end_at_the_second(*arguments: object) -> None:
        finish(*arguments)
        finished.append(arguments[1])
        if len(finished) == 2:
            raise _Ended

    with monkeypatch.context() as patch:
        patch.setattr(letters, "finish", end_at_the_second)
        patch.setattr(letter_service, "TOGETHER_SECONDS", 60.0)  # the first letter loads modules
        with pytest.raises(_Ended):
            Services(server.folder).handle_letters()
    assert server.effects()[0] == {LetterState.HANDLED: 1, LetterState.NEW: 3}
    Services(server.folder).handle_letters()
    deliver_all(server.folder, transport_of(server.folder.settings, server.path))
    assert server.effects()[0] == {LetterState.HANDLED: 4}
    answers = [mail for mail in mailbox.Maildir(server.path / "mail" / TEAM) if mail["In-Reply-To"]]
    assert len({mail["In-Reply-To"] for mail in answers}) == len(answers) == 4
