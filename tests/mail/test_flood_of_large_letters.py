"""Letters of 1 MB that are made to cost time come to the real server, and teams are served all the
same.

At night a part of the flood comes; KNOBELN_FLOOD_LETTERS=10000 is the whole of it, which takes half
an hour.
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import pytest

from contest.model import LetterState
from store import letters
from tests.support.hostile_letters import hostile_letters
from tests.support.knobeln_server import Server
from tests.support.letters import letter
from tests.support.mail_world import form_of_one
from tests.support.servers import wait_for

FLOOD = int(os.environ.get("KNOBELN_FLOOD_LETTERS", "300"))
LETTER_BYTES = 1_000_000
HONEST = 100
MAX_SECONDS = 60.0  # until an honest letter is answered
CONNECTIONS = 4
PATIENCE_SECONDS = 7_200.0


@pytest.mark.slow
@pytest.mark.night
def test_honest_letters_are_answered_within_a_minute_beside_a_flood_of_large_ones(
    tmp_path: Path,
) -> None:
    server = Server(tmp_path)
    flood = Flood(server)
    try:
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            senders = [pool.submit(flood.send) for _ in range(CONNECTIONS)]
            seconds = [seconds_until_answered(server, number, flood) for number in range(HONEST)]
            for sender in senders:
                sender.result()
        print(
            f"an honest letter was answered after {sum(seconds) / HONEST:.2f} s, at most"
            f" {max(seconds):.2f} s"
        )
        assert max(seconds) <= MAX_SECONDS
        wait_for(lambda: not is_any_new(server), "all letters to be handled", PATIENCE_SECONDS)
        assert server.process.poll() is None
        assert "is started again" not in server.text()
    finally:
        server.process.terminate()
    with server.folder.store.read() as tx:
        found = letters.count_by_state(tx)
    assert found.get(LetterState.FAILED, 0) == 0
    assert sum(found.values()) == FLOOD + HONEST


class Flood:
    """Sends hostile letters; several threads may send."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._letters = hostile_letters(FLOOD, LETTER_BYTES, "flood")
        self._lock = Lock()
        self.sent = 0
        self.is_over = False

    def send(self) -> None:
        try:
            while found := self._next():
                sender, raw = found
                self._server.insist(raw, sender)
                self.sent += 1
        finally:
            self.is_over = True

    def _next(self) -> tuple[str, bytes] | None:
        with self._lock:
            return next(self._letters, None)


def seconds_until_answered(server: Server, number: int, flood: Flood) -> float:
    """Register a team; how long its welcome took. The letters are spread over the flood."""
    wait_for(
        lambda: flood.sent >= FLOOD * number // HONEST or flood.is_over,
        "the flood",
        PATIENCE_SECONDS,
    )
    address = f"team{number}@club.example"
    server.insist(
        letter(address, "registration for KNOBELN", form_of_one(f"team{number}", address)), address
    )
    sent = time.monotonic()
    wait_for(lambda: bool(server.answers(address)), f"the answer to team {number}", 2 * MAX_SECONDS)
    return time.monotonic() - sent


def is_any_new(server: Server) -> bool:
    with server.folder.store.read() as tx:
        return letters.any_waiting(tx)
