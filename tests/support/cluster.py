"""A cluster on this computer: a real scheduler and real workers, which can be killed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from contest.clock import SystemClock
from tests.support.processes import children_of
from tests.support.servers import Child, free_port, wait_for
from tournament.cluster.keys import make_keys

ROOT = Path(__file__).parents[2]
FAULTS = Path(__file__).with_name("faulty_worker.py")


class Daemon(Child):
    """`knobeln cluster scheduler` or `knobeln worker`."""

    def __init__(self, log: Path, *words: str, **environment: str) -> None:
        self.log = log
        self._start(
            [sys.executable, "-P", "-m", "knobeln", *words],
            log,
            {**os.environ, "PYTHONPATH": str(ROOT), **environment},
        )

    @property
    def text(self) -> str:
        return self.log.read_text()


class Cluster:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.keys = folder / "keys"
        make_keys(self.keys, SystemClock().now())
        self.port = free_port()
        self.url = f"tls://127.0.0.1:{self.port}"
        self.daemons: list[Daemon] = []

    def start_scheduler(self) -> Daemon:
        words = ("cluster", "scheduler", "--keys", str(self.keys), "--host", "127.0.0.1")
        scheduler = self._started("scheduler", *words, "--port", str(self.port))
        wait_for(lambda: "listens at" in scheduler.text, "the scheduler")
        return scheduler

    def start_worker(self, processes: int = 1, fault: str = "", **environment: str) -> Daemon:
        """`fault`: one of those of faulty_worker.py."""
        if fault:
            environment |= {"DASK_DISTRIBUTED__WORKER__PRELOAD": str(FAULTS), "FAULT": fault}
        words = ("worker", self.url, "--keys", str(self.keys), "--processes", str(processes))
        worker = self._started("worker", *words, **environment)
        wait_for(lambda: "working for" in worker.text, "the worker")
        return worker

    def _started(self, name: str, *words: str, **environment: str) -> Daemon:
        made = Daemon(self.folder / f"{name}-{len(self.daemons)}.log", *words, **environment)
        self.daemons.append(made)
        return made

    def stop(self) -> None:
        for daemon in reversed(self.daemons):
            daemon.stop()


def working_processes(worker: Daemon) -> list[int]:
    """The processes that play, without those that only watch them."""
    children = children_of(worker.process.pid)
    return [pid for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def kill(worker: Daemon, number: int = signal.SIGKILL) -> None:
    """Send the signal to the worker and all its processes."""
    for pid in (worker.process.pid, *children_of(worker.process.pid)):
        os.kill(pid, number)


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """With a scheduler, and no worker yet."""
    made = Cluster(folder)
    try:
        made.start_scheduler()
        yield made
    finally:
        made.stop()
