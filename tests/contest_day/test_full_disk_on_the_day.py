"""The disk of a contest is full twice on its day, while `serve` delivers the reports by a real
relay.

Nothing is lost. Nothing is sent twice but the mail that was being sent when the server was killed.
"""

import os
import signal
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from email import message_from_bytes
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from contest.model import OutboxState, Phase
from contest.schema.sections import DeliveryKind, Mail
from knobeln.context import ContestContext
from store import contest_state, outbox
from tests.support.contest_field import House, make_contest
from tests.support.contest_runs import SMALL, finish
from tests.support.disks import may_mount, mounted
from tests.support.processes import Process, start
from tests.support.relays import Sink, relay
from tests.support.servers import free_port, wait_for

TEAMS = 40
PATIENCE = 300.0
FULL = "database or disk is full"
STILL_FULL_SECONDS = 25.0  # in which the server tries again more than once

pytestmark = [
    pytest.mark.slow,
    pytest.mark.night,
    pytest.mark.skipif(not may_mount(), reason="only root can mount"),
]


class Filler(Sink):
    """Takes all room that is left on the disk after so many mails, before it says that it has the
    mail."""

    def __init__(self, disk: Path) -> None:
        super().__init__()
        self.ballast = disk / "ballast"
        self.is_full = threading.Event()
        self._left = 0

    def fill_after(self, count: int) -> None:
        """Fill it when so many more mails have come."""
        self.is_full.clear()
        self._left = count

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        answer = await super().handle_DATA(server, session, envelope)
        self._left -= 1
        if self._left == 0:
            self._fill()
            self.is_full.set()
        return answer

    def _fill(self) -> None:
        """Until there is no room at all: others write, too."""
        with self.ballast.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))

    def copies(self) -> Counter[str]:
        return Counter(str(message_from_bytes(raw)["Message-ID"]) for _, _, raw in self.taken)


class Day:
    """`knobeln serve` and `knobeln run` of one contest; their logs are on another disk."""

    def __init__(self, folder: ContestContext, logs: Path) -> None:
        self.folder, self._logs, self._starts = folder, logs, 0

    def start(self, *words: str) -> Process:
        self._starts += 1
        command = [sys.executable, "-m", "knobeln", *words, "-C", str(self.folder.path)]
        return start(command, self._logs / f"{words[0]} {self._starts}")

    def said(self, name: str) -> str:
        return "".join(log.read_text() for log in self._logs.glob(f"{name} *"))

    def waiting(self) -> int:
        with self.folder.store.read() as tx:
            return outbox.count_by_state(tx).get(OutboxState.READY, 0)


def test_a_disk_that_is_full_twice_loses_no_mail_and_repeats_only_what_a_kill_leaves_in_doubt(
    tmp_path: Path, house: House
) -> None:
    with mounted(["-t", "tmpfs", "-o", "size=40m", "tmpfs"], tmp_path / "small") as at:
        sink = Filler(at)
        (tmp_path / "logs").mkdir()
        with relay(sink) as port:
            mail = Mail(
                listen=f"127.0.0.1:{free_port()}",
                delivery=DeliveryKind.SMTP,
                smarthost=f"127.0.0.1:{port}",
            )
            settings = SMALL.model_copy(update={"mail": mail})
            day = Day(make_contest(at / "contest", TEAMS, house, settings), tmp_path / "logs")
            server = day.start("serve")
            wait_for(lambda: "listening" in day.said("serve"))

            sink.fill_after(5)
            run = day.start("run", "--now")
            nothing_is_sent(sink)
            sink.ballast.unlink()
            finish(run, PATIENCE)  # it may have ended because of the disk
            assert day.said("serve").count(FULL) == 1

            sink.fill_after(20)
            run = day.start("run", "--now")
            nothing_is_sent(sink)
            os.kill(server.pid, signal.SIGKILL)
            sink.ballast.unlink()
            finish(run, PATIENCE)

            server = day.start("serve")
            assert finish(day.start("run", "--now"), PATIENCE) == os.EX_OK
            wait_for(lambda: not day.waiting(), "the last reports")
            server.terminate()
        with day.folder.store.read() as tx:
            assert contest_state.state(tx).phase is Phase.FINISHED
            queued = {item.message_id for item in outbox.queued_after(tx, 0)}
            assert outbox.count_by_state(tx) == {OutboxState.SENT: len(queued)}
        copies = sink.copies()
        day.folder.store.close()
    assert copies.keys() == queued
    assert sorted(copies.values())[-2:] in ([1, 1], [1, 2])


def nothing_is_sent(sink: Filler) -> None:
    """From the moment on when the disk is full."""
    wait_for(sink.is_full.is_set, "the full disk")
    before = len(sink.taken)
    time.sleep(STILL_FULL_SECONDS)
    assert len(sink.taken) == before
