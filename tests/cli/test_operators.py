"""What those who run a contest see of it: status, logs, and what the supervisor is told."""

import json
import os
import re
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import structlog

from compiler.build import build
from compiler.toolchain import Toolchain
from contest.config.template import usual_dates
from contest.errors import ToolMissing
from contest.model import (
    Bounce,
    LetterState,
    Member,
    Outgoing,
    Phase,
    Registration,
    Severity,
    TeamState,
)
from contest.util.log import log
from knobeln import log_setup
from knobeln.cli import terminal
from knobeln.context import ContestContext, create_contest, who_holds
from knobeln.server.status import next_date
from knobeln.services import note_limits_of_sandboxes
from sandbox.groups import limits_of_sandboxes
from store import contest_state, letters, outbox, submissions, teams
from store.outbox import End
from tests.support.command_line import knobeln_in
from tests.support.contest_field import NOW, add_team, settings
from tests.support.due_mails import due_mails, end
from tests.support.processes import Process, start

PATIENCE = 60.0


@pytest.fixture
def folder(tmp_path: Path) -> ContestContext:
    return create_contest(tmp_path / "contest", settings())


def status(path: Path) -> Any:
    return json.loads(knobeln_in(path, "status", "--json").stdout)


def test_a_team_with_people_of_another_is_marked_and_shown_with_their_names(
    folder: ContestContext,
) -> None:
    flag = "Jo Doe is also a member of team_1"
    with folder.store.write() as tx:
        registration = Registration(
            "x@x.example", (), "team_2", "here", (Member("Jo Doe", None, "", ""),)
        )
        kept = {
            "requested_name": "team_2",
            "state": TeamState.ACTIVE,
            "auth_digest": "x",
            "letter_id": None,
        }
        teams.add(tx, registration, **kept, flags=(flag,), now=NOW)
    listed = knobeln_in(folder.path, "teams")
    assert "\tactive *\t" in listed.stdout
    assert "`knobeln teams show TEAM`" in listed.stderr
    assert f"* {flag}\n" in knobeln_in(folder.path, "teams", "show", "team_2").stdout


def test_submissions_tells_the_whole_reason_below_the_table(
    folder: ContestContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal.console, "width", 80)
    reason = "printf is neither in your program nor a library routine; there are only five"
    with folder.store.write() as tx:
        letter = letters.add(tx, raw=b"x", sender="", recipients=(), channel="t", now=NOW)
        team = add_team(tx, "heavy_lords_of_the_north_sea_1", "RSM")
        sent = submissions.add(tx, team.id, letter, {"program.c": b"x"}, NOW, program="program.c")
        report = build("main () { printf (1); }", folder.settings.programs, Toolchain()).report
        error = replace(report.findings[0], text=reason, severity=Severity.ERROR)
        submissions.add_build(tx, sent.id, replace(report, findings=(error,)), None, NOW)
    programs = knobeln_in(folder.path, "programs").stderr
    assert f"{sent.id}, heavy_lords_of_the_north_sea_1: {reason}\n" in programs


# --- status ---------------------------------------------------------------------------------------
def go_wrong(folder: ContestContext) -> None:
    """All that can be wrong at once, with words of strangers that are long and odd."""
    now = folder.clock.now()
    with folder.store.write() as tx:
        for number in range(30):
            mail = Outgoing(f"key/{number}", "GRR", f"joe{number}@a.example", "ranking", "Hello\n")
            outbox.put(tx, mail, folder.settings, now)
        first, _, third, fourth = due_mails(tx, now, 4)
        end(tx, first, End.FAILED, now, "550 no")
        outbox.hold(tx, ids=[2])
        end(tx, third, End.DEFERRED, now, "451 later, \x1b[31m[bold]not now[/x] " * 20)
        letter_id = letters.add(tx, raw=b"x", sender="", recipients=(), channel="t", now=now)
        letters.finish(tx, letter_id, LetterState.FAILED, "Traceback", None)
        end(tx, fourth, End.SENT, now, "250")
        outbox.came_back(tx, 4, Bounce(letter_id, now, True, "550"))
        team = add_team(tx, "heavy_lords", "RSM")
        submission = submissions.add(
            tx, team.id, letter_id, {"program.c": b"x"}, now, program="program.c"
        )
        submissions.set_aside(tx, submission.id)
        outbox.stop(tx, "a backup was restored, and nobody knows which mails have gone out", now)
        contest_state.start(tx, folder.settings.model_dump(mode="json"), now)
        for number in range(5):
            contest_state.note(
                tx, "error", f"run: engine {number} does not answer {'and so on ' * 50}", now
            )
            contest_state.note(tx, "teams", f"note {number}", now)


def test_the_status_fits_on_one_screen_whatever_is_wrong(folder: ContestContext) -> None:
    assert len(knobeln_in(folder.path, "status").output.splitlines()) < 24
    go_wrong(folder)
    lines = knobeln_in(folder.path, "status").output.splitlines()
    assert len(lines) < 24
    assert max(map(len, lines)) <= 80
    said = " ".join(" ".join(lines).split())
    for words in (
        "RUNNING",
        "run is not at work",
        "no process plays it: `knobeln run` goes on",
        "`knobeln mail release --all`",
        "`knobeln letters retry`",
        "mail 3 to joe2@a.example waits",
        "engine 4 does not answer",
    ):
        assert words in said
    assert "\x1b" not in said


def test_the_status_as_json_has_everything(folder: ContestContext) -> None:
    go_wrong(folder)
    facts = status(folder.path)
    assert facts["phase"] == "running"
    assert facts["mails"] == {"ready": 27, "held": 1, "sent": 0, "failed": 1, "bounced": 1}
    assert facts["oldest_mail"]["to"] == "joe2@a.example"
    assert facts["letters"][LetterState.FAILED] == 1
    assert [line["text"].split(" ")[2] for line in facts["errors"]] == ["2", "3", "4"]
    assert facts["at_work"] == {"serve": False, "run": False}
    assert len(facts["advice"]) >= 7


def test_the_status_says_that_a_registration_waits(folder: ContestContext) -> None:
    with folder.store.write() as tx:
        add_team(tx, "heavy_lords", "RSM")
    assert status(folder.path)["advice"] == []
    with folder.store.write() as tx:
        (team,) = teams.all_teams(tx)
        teams.set_state(tx, team.id, TeamState.PENDING)
    said = " ".join(knobeln_in(folder.path, "status").output.split())
    assert "1 registration waits for your decision: `knobeln teams`" in said


def test_of_a_contest_that_was_started_early_only_the_results_are_still_to_come() -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    dates = usual_dates(now)
    assert next_date(dates, now, Phase.OPEN) == "registration_closes"
    assert next_date(dates, now, Phase.RUNNING) == "results_published"
    assert next_date(dates, dates.results_published, Phase.FINISHED) is None


def test_the_status_says_how_the_limits_of_sandboxes_hold_once_a_server_has_found_out(
    folder: ContestContext,
) -> None:
    assert status(folder.path)["limits_of_sandboxes"] is None
    for _ in range(2):
        note_limits_of_sandboxes(folder)
    assert status(folder.path)["limits_of_sandboxes"] == limits_of_sandboxes().sentence
    assert "sandbox   limits hold for " in knobeln_in(folder.path, "status").output
    with folder.store.read() as tx:
        assert len(contest_state.log(tx, 5, area=contest_state.LIMITS_AREA)) == 1


def test_the_status_says_who_is_at_work(folder: ContestContext) -> None:
    with folder.only_one("run"):
        assert who_holds(folder.path, "run") == os.getpid()
        assert status(folder.path)["at_work"] == {"serve": False, "run": os.getpid()}
        with folder.only_one("serve") as alone:
            assert alone
    assert status(folder.path)["at_work"]["run"] is False


def test_what_the_day_stopped_for_is_in_the_status(
    folder: ContestContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacks_its_engine(*_: object) -> None:
        raise ToolMissing("the engine is not installed")

    monkeypatch.setattr("knobeln.day.run.contest_day", lacks_its_engine)
    knobeln_in(folder.path, "run", "--now", "--yes", code=1)
    assert "run: " in knobeln_in(folder.path, "status").output
    (line,) = status(folder.path)["errors"]
    area, text = line["area"], line["text"]
    assert area == "error"
    assert "not installed" in text


# --- logs -----------------------------------------------------------------------------------------
@pytest.fixture
def usual_logs() -> Iterator[None]:
    before = structlog.get_config()
    yield
    structlog.configure(**before)


@pytest.mark.usefixtures("usual_logs")
def test_an_error_is_logged_with_its_traceback_and_without_values(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log_setup.begin()
    password = "k7qd-secret"
    try:
        raise ValueError(len(password))
    except ValueError:
        log.exception("unexpected", loop="desk", words="two\nlines")
    said = capsys.readouterr().err
    assert said.splitlines()[0].split()[1:3] == ["[error", "]"]
    assert "unexpected" in said
    assert "ValueError: 11" in said
    assert "k7qd-secret" not in said


# --- the supervisor -------------------------------------------------------------------------------
@pytest.fixture
def notices(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.settimeout(PATIENCE)
        yield listener


def serve(folder: ContestContext, log: Path, **environment: str) -> Process:
    command = [sys.executable, "-m", "knobeln", "serve", "-C", str(folder.path)]
    return start(command, log, {**os.environ, **environment})


def heard(listener: socket.socket, word: str) -> str:
    """The next notice that has this word."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        said = listener.recv(1_000).decode()
        if word in said:
            return said
    raise TimeoutError(word)


@pytest.mark.slow
def test_the_supervisor_hears_that_serve_is_ready_lives_and_stops(
    tmp_path: Path, folder: ContestContext, notices: socket.socket
) -> None:
    environment = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "200000"}
    server = serve(folder, tmp_path / "log", **environment)
    try:
        assert "STATUS=at work for" in heard(notices, "READY=1")
        assert status(folder.path)["at_work"]["serve"] == server.pid
        for _ in range(3):
            heard(notices, "WATCHDOG=1")
    finally:
        server.terminate(PATIENCE)
    heard(notices, "STOPPING=1")
    said = (tmp_path / "log").read_text()
    events = re.findall(r"\] (listening|stopping|stopped)\b", said)
    assert events == ["listening", "stopping", "stopped"], said
