"""A program whose units take as long as they can holds up nobody: not the server that stops."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from contest.model import SubmissionState
from contest.store import engine_failures, submissions
from tests.support.archives import put_team
from tests.support.counted_programs import CHASING, needs_engine, settings_of, workers_of
from tests.support.knobeln_server import Server
from tests.support.servers import wait_for

pytestmark = [needs_engine, pytest.mark.slow]

DEFAULT_FUEL = 50_000_000_000
STOP_SECONDS = 10.0


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
