"""Our own child processes."""

import signal
import subprocess
import sys
import time
from pathlib import Path

from contest.subprocesses.child_process import CommandResult, run, start
from tests.support import servers
from tests.support.processes import command_of, is_running


def test_a_process_writes_its_log_and_ends_when_asked(tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = "echo $WORD; echo no >&2; exec sleep 600"
    process = start(["/bin/sh", "-c", script], log, {"WORD": "ready", "PATH": "/usr/bin"})
    servers.wait_for(lambda: "no" in log.read_text())
    assert process.poll() is None
    assert process.terminate() == -signal.SIGTERM
    assert process.poll() == -signal.SIGTERM
    assert log.read_text() == "ready\nno\n"


def test_a_process_that_does_not_end_is_ended(tmp_path: Path) -> None:
    log = tmp_path / "log"
    process = start(["/bin/sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 0.1; done"], log)
    servers.wait_for(lambda: "deaf" in log.read_text())
    assert process.terminate(grace_seconds=0.2) == -signal.SIGKILL


def test_a_process_that_has_ended_can_be_terminated(tmp_path: Path) -> None:
    process = start(["/bin/sh", "-c", "exit 4"], tmp_path / "log")
    while process.poll() is None:
        time.sleep(0.01)
    assert process.terminate() == 4


def test_a_log_is_continued(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    process = start(["/bin/echo", "after"], log)
    servers.wait_for(lambda: "after" in log.read_text())
    process.terminate()
    assert log.read_text() == "before\nafter\n"


def test_a_command_is_given_its_input_which_it_need_not_read_and_says_what_it_says() -> None:
    finished = run(["sh", "-c", "tr a-z A-Z; echo oh >&2; exit 3"], b"hello", 20)
    assert finished == CommandResult(3, b"HELLO", b"oh\n")
    assert run(["true"], b"x" * 1_000_000, 20).code == 0


def test_a_command_that_does_not_end_is_ended_with_its_children() -> None:
    # It would not return before the children have let go of their end of the pipes.
    assert run(["sh", "-c", "sleep 1000 & sleep 1000"], b"", 0.5).code is None


def test_what_tests_start_ends_with_them_by_whatever_they_are_ended():
    words = "from tests.support.processes import start; from pathlib import Path; import time"
    code = (
        f"{words}; print(start(['sleep', '600'], Path('/dev/null')).pid, flush=True);"
        " time.sleep(600)"
    )
    for number in (signal.SIGTERM, signal.SIGKILL):
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as tests:
            started = int(tests.stdout.readline())
            servers.wait_for(lambda started=started: command_of(started).startswith(b"sleep"))
            tests.send_signal(number)
        servers.wait_for(lambda started=started: not is_running(started))
