"""A program whose units take as long as they can holds up nobody: neither other programs nor
the server that stops."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from contest.model import SubmissionState
from store import engine_failures, submissions, teams
from tests.support.archives import put_team
from tests.support.counted_programs import CHASING, MOODY, needs_engine, settings_of, workers_of
from tests.support.knobeln_server import Server
from tests.support.processes import ProcessorTime
from tests.support.servers import wait_for

pytestmark = [needs_engine, pytest.mark.slow]

DEFAULT_FUEL = 50_000_000_000
STOP_SECONDS = 10.0
BUILD_SECONDS = 15
HONEST_SECONDS = 10.0  # of processor time: for its own build and game, and for what the server does


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path, settings_of("cooperation", fuel=DEFAULT_FUEL))
    yield server
    if server.process.poll() is None:
        server.kill()


def send(server: Server, name: str, source: bytes) -> None:
    with server.folder.store.write() as tx:
        put_team(tx, name, {f"{name}.c": source})


def test_a_server_that_stops_ends_its_workers_and_builds_the_program_at_its_next_start(
    server: Server,
) -> None:
    send(server, "slow", CHASING)
    wait_for(lambda: bool(workers_of(server.process.pid)))
    workers = workers_of(server.process.pid)
    begin = time.monotonic()
    assert server.process.terminate(STOP_SECONDS) == 0
    assert time.monotonic() - begin < STOP_SECONDS
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
    with server.folder.store.read() as tx:
        (version,) = submissions.newest(tx, 1)
        assert version.submission.state is SubmissionState.QUEUED
        assert not engine_failures.aside(tx)
    assert "unexpected" not in server.text()


def test_an_honest_program_waits_for_two_of_the_slowest_as_long_as_their_budgets(
    tmp_path: Path,
) -> None:
    chosen = settings_of("cooperation", fuel=10_000_000_000)
    programs = chosen.programs.model_copy(update={"build_seconds": BUILD_SECONDS})
    server = Server(tmp_path, chosen.model_copy(update={"programs": programs}))
    try:
        send(server, "slow", CHASING)
        send(server, "slower", CHASING + b"\n")
        wait_for(lambda: bool(workers_of(server.process.pid)))
        send(server, "honest", MOODY)
        time_of_all = ProcessorTime(server.process.pid)
        begin = time_of_all.look()
        wait_for(lambda: time_of_all.look() and "honest" in verdicts(server), seconds=900)
        assert time_of_all.look() - begin < 2 * BUILD_SECONDS + HONEST_SECONDS
        wait_for(lambda: len(verdicts(server)) == 3, seconds=900)
        assert verdicts(server) == {"slow": False, "slower": False, "honest": True}
        assert not any("aside" in line for line in server.text().splitlines())
        assert server.process.terminate(STOP_SECONDS) == 0
    finally:
        if server.process.poll() is None:
            server.kill()


def verdicts(server: Server) -> dict[str, bool]:
    """Whether their programs were accepted, of the teams that were answered."""
    with server.folder.store.read() as tx:
        return {
            teams.get(tx, version.submission.team_id).name: version.report.accepted
            for version in submissions.newest(tx, 3)
            if version.report
        }
