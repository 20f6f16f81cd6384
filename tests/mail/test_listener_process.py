"""The listener of `knobeln serve` is a process of its own: what happens when it or its server is
killed."""

import json
import os
import signal
import smtplib
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from store import letters
from tests.support.command_line import knobeln_in
from tests.support.knobeln_server import Server
from tests.support.letters import letter
from tests.support.processes import is_running
from tests.support.servers import PATIENCE, wait_for

pytestmark = pytest.mark.slow

SOON_SECONDS = 60.0


def question(number: int, sender: str) -> bytes:
    program = "int main(void) { return 0; }\n" * 20
    return letter(sender, "please compile", program, Message_ID=f"<{number}.{sender}>")


class People:
    """Four people who send one letter after the other until they are told to stop."""

    def __init__(self, server: Server) -> None:
        self.kept: list[bytes] = []  # the letters to which the server said 250
        self._server, self._stop = server, threading.Event()
        self._threads = [threading.Thread(target=self._send, args=(number,)) for number in range(4)]
        for thread in self._threads:
            thread.start()

    def _send(self, person: int) -> None:
        number = 0
        while not self._stop.is_set():
            number += 1
            sender = f"team{person}@club.example"
            with suppress(OSError):  # also all of smtplib's own: the letter is not taken
                letter = question(number, sender)
                self._server.send(letter, sender)
                self.kept.append(letter)

    def wait_for_more(self) -> None:
        before = len(self.kept)
        wait_for(lambda: len(self.kept) > before + 10, "more letters")

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(PATIENCE)


def stored(server: Server) -> list[bytes]:
    with server.folder.store.read() as tx:
        found = (letters.get(tx, each.id) for each in letters.listing(tx, None, 10_000))
        return [letter.raw for letter in found if letter]


def test_a_listener_that_is_killed_loses_nothing_and_is_started_again(server: Server) -> None:
    people = People(server)
    try:
        people.wait_for_more()
        first = server.listener()
        os.kill(first, signal.SIGKILL)
        begin = time.monotonic()
        wait_for(lambda: not is_running(first))
        people.wait_for_more()
        assert time.monotonic() - begin < SOON_SECONDS
        os.kill(server.listener(), signal.SIGKILL)  # again, which takes it longer
        wait_for(lambda: server.text().count("exit code -9") == 2)
        people.wait_for_more()
    finally:
        people.stop()
    found = stored(server)
    assert len(set(found)) == len(found)
    assert set(people.kept) <= set(found)
    assert server.process.poll() is None
    errors = json.loads(knobeln_in(server.folder.path, "status", "--json").output)["errors"]
    assert [line["text"].partition(":")[0] for line in errors] == ["listener"]


def test_a_listener_does_not_outlive_a_server_that_is_killed(server: Server) -> None:
    listener = server.listener()
    people = People(server)
    try:
        people.wait_for_more()
        server.kill()
        wait_for(lambda: not is_running(listener))
    finally:
        people.stop()
    assert set(people.kept) <= set(stored(server))
    server.start()
    server.send(question(0, "joe@club.example"), "joe@club.example")


def test_a_listener_that_waits_for_the_database_does_not_outlive_its_server(server: Server) -> None:
    def try_to_send() -> None:
        with suppress(OSError):
            server.send(question(1, "joe@club.example"), "joe@club.example")

    listener = server.listener()
    with server.folder.store.write():
        sender = threading.Thread(target=try_to_send)
        sender.start()
        time.sleep(0.5)  # nothing outside shows that the listener waits
        server.kill()
        begin = time.monotonic()
        wait_for(lambda: not is_running(listener))
        assert time.monotonic() - begin < SOON_SECONDS
    sender.join(PATIENCE)
    assert stored(server) == []


def test_a_sigterm_ends_both_at_once_and_means_nothing_to_the_listener_alone(
    server: Server,
) -> None:
    listener = server.listener()
    os.kill(listener, signal.SIGTERM)
    with smtplib.SMTP("127.0.0.1", server.port, timeout=10) as client:
        assert server.process.terminate(SOON_SECONDS) == 0
        assert client.file is None or client.file.readline().startswith(b"421")
    assert not is_running(listener)
    assert "exit code" not in server.text()


def test_no_restore_while_the_listener_of_a_killed_server_may_still_write(
    server: Server, tmp_path: Path
) -> None:
    listener = server.listener()
    knobeln_in(server.folder.path, "backup", tmp_path / "backup.tar.gz")
    os.kill(listener, signal.SIGSTOP)
    server.kill()
    said = knobeln_in(server.folder.path, "restore", tmp_path / "backup.tar.gz", code=1).output
    assert "at work" in said
    os.kill(listener, signal.SIGCONT)
    wait_for(lambda: not is_running(listener))
    knobeln_in(server.folder.path, "restore", tmp_path / "backup.tar.gz")
