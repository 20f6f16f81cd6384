"""`knobeln serve` and `run` whose log cannot be written: they work on."""

import smtplib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner

from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.schema.sections import Contest, Mail
from contest.util.clock import SystemClock
from knobeln.cli import main
from knobeln.context import ContestContext, create_contest
from knobeln.server.gateway import Gateway
from mailserver.intake.accept import accept
from tests.support.contest_field import House, add_field
from tests.support.knobeln_server import ROBOT, maildir
from tests.support.processes import Process, start
from tests.support.servers import free_port, greets, wait_for

JOE, ORGANIZER = "joe@club.example", "organizer@club.example"
LETTER = b"From: joe@club.example\r\nSubject: help\r\n\r\n"


def full(command: list[str]) -> Process:
    """A process whose output goes to a full disk."""
    return start(command, Path("/dev/full"))


@contextmanager
def serving(contest: ContestContext) -> Iterator[Process]:
    process = full([sys.executable, "-m", "knobeln", "serve", "-C", str(contest.path)])
    try:
        wait_for(
            lambda: greets(contest.settings.mail.listen_port, b"220") or process.poll() is not None
        )
        yield process
    finally:
        process.terminate()


@pytest.fixture
def contest(tmp_path: Path) -> Iterator[ContestContext]:
    settings = Settings(
        contest=Contest(address=ROBOT, organizer_address=ORGANIZER),
        dates=usual_dates(SystemClock().now()),
        mail=Mail(listen=f"127.0.0.1:{free_port()}"),
    )
    contest = create_contest(tmp_path / "contest", settings)
    yield contest
    contest.store.close()


@pytest.mark.slow
def test_a_log_that_cannot_be_written_harms_no_letter(contest: ContestContext) -> None:
    port = contest.settings.mail.listen_port
    with serving(contest) as server:
        with smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
            assert client.sendmail(JOE, [ROBOT], LETTER) == {}
        wait_for(lambda: maildir(contest, JOE))
        with contest.store.write() as tx:
            tx.exec_driver_sql("ALTER TABLE letters RENAME TO elsewhere")
        with smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
            client.ehlo()
            client.mail(JOE)
            client.rcpt(ROBOT)
            assert client.data(LETTER + b"x\r\n") == (
                451,
                b"4.3.0 a failure of ours, please try again later",
            )
        with contest.store.write() as tx:
            tx.exec_driver_sql("ALTER TABLE elsewhere RENAME TO letters")
        assert server.terminate() == 0


@pytest.mark.slow
def test_a_run_whose_log_cannot_be_written_plays(contest: ContestContext, house: House) -> None:
    add_field(contest, 2, house, ("RSM",))
    accept(contest.store, LETTER, JOE, (ROBOT,), "smtp", contest.clock.now())
    command = [sys.executable, "-m", "knobeln", "run", "--now", "--yes", "-C", str(contest.path)]
    with (
        (contest.path.parent / "output").open("wb") as output,
        Path("/dev/full").open("wb") as nowhere,
    ):
        assert subprocess.run(command, stdout=output, stderr=nowhere, check=False).returncode == 0


@pytest.mark.slow
def test_what_may_pass_by_itself_does_not_end_as_what_the_organizer_must_change(
    contest: ContestContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """systemd starts `serve` again after every exit code but 1 and 2."""

    for error, code in (
        (ZeroDivisionError("a fault of ours"), 70),
        (OSError(5, "Input/output error"), 75),
    ):
        monkeypatch.setattr(Gateway, "run", Mock(side_effect=error))
        assert CliRunner().invoke(main, ["serve", "-C", str(contest.path)]).exit_code == code
    with serving(contest):
        other = create_contest(contest.path.parent / "other", contest.settings)
        second = full([sys.executable, "-m", "knobeln", "serve", "-C", str(other.path)])
        wait_for(lambda: second.poll() is not None)
        assert second.poll() == 75, "the port is in use"
        other.store.close()
