"""The power goes at random moments of a run and of a server: it goes on from what the disk had
then."""

import mailbox
import os
import random
import re
import shutil
import signal
import smtplib
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Self

import pytest

from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.schema.sections import Contest, Mail
from contest.util.clock import SystemClock
from knobeln.context import ContestContext, create_contest
from tests.support.contest_days import dump
from tests.support.contest_field import House, make_contest
from tests.support.contest_runs import PATIENCE, SMALL, delivered, finish, run, without_times
from tests.support.disks import Disk, may_mount
from tests.support.knobeln_server import is_idle
from tests.support.processes import Process, start
from tests.support.servers import wait_for
from tests.support.shared_work import fsync, sync

CUTS = 4
ROBOT = "knobeln@contest.example"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not may_mount(), reason="only root can mount")]


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path / "power")


def test_a_copy_of_the_disk_has_what_was_synced_and_nothing_else(
    tmp_path: Path, disk: Disk
) -> None:
    with disk.at() as at:
        with (at / "synced").open("w") as file:
            file.write("kept")
            file.flush()
            fsync(file.fileno())
        (at / "not synced").write_text("lost")
        disk.cut(tmp_path / "copy")
    with disk.at(tmp_path / "copy") as at:
        assert (at / "synced").read_text() == "kept"
        assert not (at / "not synced").exists() or not (at / "not synced").read_text()


@contextmanager
def standing_still(process: Process) -> Iterator[None]:
    os.kill(process.pid, signal.SIGSTOP)
    try:
        wait_for(lambda: all_stopped(process))  # each thread ends the call that it is in
        yield
    finally:
        os.kill(process.pid, signal.SIGCONT)


def all_stopped(process: Process) -> bool:
    threads = Path(f"/proc/{process.pid}/task").glob("*/stat")
    return all(thread.read_text().rpartition(")")[2].split()[0] in "TZ" for thread in threads)


def cut_again_and_again(
    disk: Disk, process: Process, copies: Path, note: Callable[[], object]
) -> list[object]:
    """Copies of the disk, 0, 1, ..., at random moments of the process; what `note` said before
    each."""
    chance, said = random.Random(7), []  # noqa: S311 - no secret
    copies.mkdir()
    while process.poll() is None and len(said) < CUTS:
        time.sleep(chance.uniform(0.05, 0.5))
        if process.poll() is None:
            said.append(note())
            with standing_still(process):
                disk.cut(copies / str(len(said) - 1))
    return said


def everything(folder: ContestContext) -> object:
    return without_times(dump(folder)), delivered(folder)


def test_a_run_goes_on_from_whatever_the_disk_had_when_the_power_went(
    tmp_path: Path, house: House, disk: Disk
) -> None:
    whole = make_contest(tmp_path / "whole", 40, house, SMALL)
    with disk.at() as at:
        broken = make_contest(at / "contest", 40, house, SMALL)
        broken.store.close()
        sync()
        process = run(broken)
        cuts = len(cut_again_and_again(disk, process, tmp_path / "copies", lambda: None))
        assert finish(process) == 0
    assert cuts >= 2
    assert finish(run(whole)) == 0
    undisturbed = everything(whole)
    for number in range(cuts):
        with disk.at(tmp_path / "copies" / str(number)) as at:
            left = ContestContext.open(at / "contest")
            left.store.check_integrity()
            assert finish(run(left)) == 0, (at / "log").read_text()
            assert everything(left) == undisturbed
            left.store.close()


class Senders:
    """People who write to the robot, one letter after the other, and remember which it has
    taken."""

    def __init__(self, port: Callable[[], int]) -> None:
        self.taken: list[str] = []
        self._port = port
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(name,)) for name in "abc"]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _write(self, name: str) -> None:
        for number in count():
            address = f"{name}{number}@club.example"
            letter = f"From: {address}\r\nTo: {ROBOT}\r\nSubject: help\r\n\r\nWhat is this?\r\n"
            if self._stop.wait(0.02):
                return
            try:
                with smtplib.SMTP("127.0.0.1", self._port(), timeout=PATIENCE) as client:
                    client.sendmail(address, [ROBOT], letter)
            except OSError:  # not taken; also all of smtplib's own
                continue
            self.taken.append(address)


def serve(at: Path) -> tuple[Process, int]:
    """A server of the contest there, and its port. What it says goes to a file beside that, not
    below it."""
    log = at / "log"
    log.unlink(missing_ok=True)
    process = start([sys.executable, "-m", "knobeln", "serve", "-C", str(at / "contest")], log)
    wait_for(lambda: "listening" in log.read_text())
    return process, int(re.findall(r"port=(\d+)", log.read_text())[-1])


def answers(path: Path) -> Counter[str]:
    boxes = (path / "mail").iterdir() if (path / "mail").exists() else ()
    return Counter(box.name for box in boxes for _ in mailbox.Maildir(box))


def test_a_letter_that_was_taken_is_answered_once_however_the_power_goes(
    tmp_path: Path, disk: Disk
) -> None:
    settings = Settings(
        contest=Contest(address=ROBOT),
        dates=usual_dates(SystemClock().now()),
        mail=Mail(listen="127.0.0.1:0"),
    )
    with disk.at() as at:
        create_contest(at / "contest", settings).store.close()
        sync()
        process, port = serve(at)
        with Senders(lambda: port) as senders:
            # so that there is something that could be lost
            wait_for(lambda: len(senders.taken) > 3)
            said = cut_again_and_again(
                disk, process, tmp_path / "copies", lambda: list(senders.taken)
            )
        process.terminate()
    for number, taken in enumerate(said):
        with disk.at(tmp_path / "copies" / str(number)) as at:
            left = ContestContext.open(at / "contest")
            left.store.check_integrity()
            process, _ = serve(at)
            wait_for(lambda left=left: is_idle(left))
            process.terminate()
            left.store.close()
            got = answers(at / "contest")
            assert set(got.values()) == {1}
            assert got.keys() >= set(taken)
        shutil.rmtree(tmp_path / "copies" / str(number), ignore_errors=True)
