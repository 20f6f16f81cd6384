"""Many letters and programs at once, while another contest is played on the same computer.

A small part of the drill is a slow test; `make drill` is the whole of it.
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from contest.config.settings import Settings, game_settings
from contest.config.template import usual_dates
from contest.model import LetterState, OutboxState, Phase, SubmissionState
from contest.util.clock import SystemClock
from knobellib.samples import house_strategies
from store import contest_state, ledger, letters, outbox, submissions
from tests.support.command_line import knobeln_in
from tests.support.contest_field import House, make_contest, settings
from tests.support.contest_runs import finish
from tests.support.knobeln_server import Server, text_of
from tests.support.letters import letter
from tests.support.mail_world import form_of_one
from tests.support.processes import Process, start
from tests.support.servers import wait_for

LETTERS = int(os.environ.get("KNOBELN_DRILL_LETTERS", "300"))
TEAMS = LETTERS // 20
CONNECTIONS = 20
MAX_MEGABYTES = 500  # of `serve`
MAX_STATUS_SECONDS = 30.0  # however busy this computer is; a lock that is held for long would show
PATIENCE_SECONDS = 3_600.0


def sent_by(name: str, subject: str, text: str) -> tuple[str, bytes]:
    """The sender, and the letter."""
    sender = f"{name}@club.example"
    return sender, letter(sender, subject, text)


def send_all(server: Server, found: Iterable[tuple[str, bytes]]) -> int:
    """Send each, over several connections at once; return how many."""

    def send(each: tuple[str, bytes]) -> None:
        server.insist(each[1], each[0])

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        return sum(1 for _ in pool.map(send, found))


def megabytes(process: Process) -> float:
    """The most memory that the process has had."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def seconds_of_status(server: Server) -> float:
    began = time.monotonic()
    assert "letters" in knobeln_in(server.folder.path, "status").output
    return time.monotonic() - began


def wait_until_idle(server: Server, slowest: list[float]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not server.is_idle():
        assert time.monotonic() < end, "letters and programs still wait"
        slowest.append(seconds_of_status(server))
        time.sleep(1)


@pytest.mark.slow
def test_nothing_is_lost_under_load(tmp_path: Path, house: House) -> None:
    now = SystemClock().now()
    server = Server(tmp_path, Settings(dates=usual_dates(now), game=game_settings({"L": 40})))
    other = make_contest(tmp_path / "other", min(TEAMS, 300), house.first(6), settings())
    other.store.close()
    slowest: list[float] = []
    names = [f"team{number:05}" for number in range(TEAMS)]
    try:
        forms = {name: form_of_one(name, f"{name}@club.example") for name in names}
        sent = send_all(
            server,
            (sent_by(name, "registration for KNOBELN", form) for name, form in forms.items()),
        )
        wait_until_idle(server, slowest)
        day = start(
            [sys.executable, "-m", "knobeln", "run", "--now", "--yes", "-C", str(other.path)],
            tmp_path / "day",
        )
        lines = {name: server.auth_line(f"{name}@club.example") for name in names}
        source = house_strategies()[0].source
        programs = (
            sent_by(name, "please compile", f"/*\n{lines[name]}\n*/\n/* {name} */\n{source}")
            for name in names
        )
        questions = (
            sent_by(f"stranger{number:05}", "help", f"What is this, asks number {number}?")
            for number in range(LETTERS - 2 * TEAMS)
        )
        sent += send_all(server, (*programs, *questions))
        wait_until_idle(server, slowest)
        assert finish(day, patience=int(PATIENCE_SECONDS)) == 0, (tmp_path / "day").read_text()
        assert megabytes(server.process) < MAX_MEGABYTES
    finally:
        server.process.terminate()
    wait_for(lambda: server.process.poll() is not None)
    assert sent == LETTERS
    with server.folder.store.read() as tx:
        assert letters.count_by_state(tx) == {LetterState.HANDLED: LETTERS}
        assert submissions.count_by_state(tx) == {SubmissionState.BUILT: TEAMS}
        assert set(outbox.count_by_state(tx)) == {OutboxState.SENT}
        effects = Counter(str(entry.effect) for entry in ledger.entries(tx))
    assert effects["registration accepted"] == effects["program accepted"] == TEAMS
    for name in names:
        subjects = Counter(str(mail["Subject"]) for mail in server.answers(f"{name}@club.example"))
        assert subjects[f"KNOBELN: version 1 of {name} is accepted"] == 1, subjects
    for number in range(LETTERS - 2 * TEAMS):
        (answer,) = server.answers(f"stranger{number:05}@club.example")
        assert text_of(answer)
    assert max(slowest) < MAX_STATUS_SECONDS
    with other.store.read() as tx:
        assert contest_state.state(tx).phase is Phase.FINISHED
