"""`knobeln receive` hands its letter to a server that runs, and does without one that does not
answer."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from contest.errors import KnobelnError, StoreBusy
from knobeln.context import ContestContext
from mailserver.intake import hand_over
from mailserver.intake.hand_over import (
    EX_DATAERR,
    EX_OK,
    EX_TEMPFAIL,
    HandOverServer,
    NotALetter,
    offer,
)
from store import letters
from tests.support.knobeln_server import ROBOT, Server
from tests.support.servers import wait_for

LETTER = b"From: joe@club.example\nTo: knobeln@contest.example\nSubject: help\n\nplease\n"
MAX_BYTES = 1_000

Offered = tuple[bytes, str | None, Sequence[str]]


@contextmanager
def counter(folder: Path, error: KnobelnError | None = None) -> Iterator[list[Offered]]:
    """A counter that takes all letters, or answers all with this error."""
    taken: list[Offered] = []

    def take(*offered: object) -> None:
        if error:
            raise error
        taken.append(offered)

    opened = HandOverServer(folder, MAX_BYTES, take)
    opened.start()
    try:
        yield taken
    finally:
        opened.stop()


def test_a_letter_comes_over_byte_for_byte_with_its_envelope(tmp_path: Path) -> None:
    senders = (None, "", "joe@club.example", os.fsdecode(b"\xff@a.example"), "a\nb")
    raw = bytes(range(256)) + b"\r\n.\r\n\n"
    with counter(tmp_path) as taken:
        for sender in senders:
            assert offer(tmp_path, raw, sender, ("one@a.example", "two@a.example")) == (EX_OK, "")
    assert taken == [(raw, sender, ["one@a.example", "two@a.example"]) for sender in senders]


def test_a_folder_may_have_a_long_name(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 50)
    folder.mkdir()
    with counter(folder) as taken:
        assert offer(folder, LETTER, None, ()) == (EX_OK, "")
    assert taken


@pytest.mark.parametrize(
    ("error", "code"),
    [(NotALetter("it is\nno letter"), EX_DATAERR), (StoreBusy("the disk is full"), EX_TEMPFAIL)],
)
def test_a_refusal_comes_back_in_one_line(tmp_path: Path, error: KnobelnError, code: int) -> None:
    with counter(tmp_path, error):
        assert offer(tmp_path, LETTER, None, ()) == (code, " ".join(str(error).split()))


def test_nobody_but_the_owner_may_offer_letters(tmp_path: Path) -> None:
    with counter(tmp_path):
        assert (tmp_path / ".receive.socket").stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / ".receive.socket").exists()


def test_without_a_server_the_letter_is_not_taken(tmp_path: Path) -> None:
    assert offer(tmp_path, LETTER, None, ()) is None
    assert offer(tmp_path / "nowhere", LETTER, None, ()) is None


def test_a_letter_that_is_too_large_or_incomplete_is_not_taken(tmp_path: Path) -> None:
    with counter(tmp_path) as taken:
        assert offer(tmp_path, b"x" * (MAX_BYTES + 1), None, ()) is None
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(tmp_path / ".receive.socket"))
            client.sendall(b'{"bytes": 100, "sender": null, "recipients": []}\nFrom: jo')
            client.shutdown(socket.SHUT_WR)
            assert client.recv(100) == b""
        assert taken == []
        assert offer(tmp_path, LETTER, None, ()) == (EX_OK, "")


@pytest.mark.parametrize("answer", [b"0", b"99 \n"])
def test_no_answer_and_nonsense_are_no_success(tmp_path: Path, answer: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / ".receive.socket"))
        server.listen()

        def reply() -> None:
            client, _ = server.accept()
            with client:
                client.recv(65_536)
                client.sendall(answer)

        thread = Thread(target=reply)
        thread.start()
        assert offer(tmp_path, LETTER, None, ()) is None
        thread.join()


def test_a_server_that_hangs_is_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hand_over, "TIMEOUT_SECONDS", 0.2)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / ".receive.socket"))
        server.listen()
        assert offer(tmp_path, LETTER, None, ()) is None


@pytest.mark.needs_root  # to make a socket in another user's folder
def test_root_tells_nothing_to_a_server_that_is_not_the_owners(tmp_path: Path) -> None:
    with counter(tmp_path) as taken:
        os.chown(tmp_path, 65_534, 65_534)
        assert offer(tmp_path, LETTER, None, ()) is None
    assert taken == []


def receive(contest: ContestContext, raw: bytes, *options: str) -> int:
    command = [sys.executable, "-m", "knobeln", "receive", "-C", str(contest.path), *options]
    return subprocess.run(command, input=raw, check=False).returncode


@pytest.mark.slow
def test_a_server_takes_and_answers_what_receive_brings(tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        assert (
            receive(server.folder, LETTER, "--sender", "joe@club.example", "--recipient", ROBOT)
            == EX_OK
        )
        assert receive(server.folder, b"From x\n" + LETTER) == EX_OK  # the same letter
        assert receive(server.folder, b"\n") == EX_DATAERR
        assert receive(server.folder, b"x" * 1_000_001) == EX_DATAERR
        wait_for(lambda: server.answers("joe@club.example"))
        server.kill()
        # at the socket of a dead server
        assert receive(server.folder, LETTER + b"again\n") == EX_OK
        server.start()
        wait_for(lambda: len(server.answers("joe@club.example")) == 2)
        assert receive(server.folder, LETTER + b"and again\n") == EX_OK
        wait_for(server.is_idle)
        with server.folder.store.read() as tx:
            kept = letters.listing(tx, None, 10)
        assert [letter.channel for letter in kept] == ["pipe", "receive", "receive"]
        assert kept[0].sender == "joe@club.example"
    finally:
        server.process.terminate()
        server.folder.store.close()
