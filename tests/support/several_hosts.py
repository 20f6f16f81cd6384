"""A cluster on this host: dask's scheduler and workers as docs/scaling.md says, which can be
killed."""

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dask
import distributed  # noqa: F401 - it brings its settings
import yaml

from tests.support.processes import children_of
from tests.support.servers import Child, free_port, wait_for

ROOT = Path(__file__).parents[2]
FAULTS = Path(__file__).with_name("faulty_worker.py")
PAGE = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")


def command(start: str) -> list[str]:
    """The words of the command on the page that begins like this."""
    (found,) = re.findall(rf"^    \$ ({start}(?:.*\\\n)*.*)$", PAGE, re.MULTILINE)
    return shlex.split(found.replace("\\\n", " "))


class Daemon(Child):
    """One of dask's commands."""

    def __init__(self, log: Path, words: list[str], **environment: str) -> None:
        self.log = log
        self._start(
            [sys.executable, "-P", "-m", *words],
            log,
            {**os.environ, "PYTHONPATH": str(ROOT), **environment},
        )

    @property
    def text(self) -> str:
        return self.log.read_text()


class Cluster:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings = folder / "dask"
        self.settings.mkdir()
        make_key(self.settings)
        (written,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
        self.config = yaml.safe_load(written.replace("FOLDER", str(self.settings)))
        (self.settings / "knobeln.yaml").write_text(written.replace("FOLDER", str(self.settings)))
        self.port = free_port()
        self.url = f"tls://127.0.0.1:{self.port}"
        self.daemons: list[Daemon] = []

    def start_scheduler(self) -> Daemon:
        words = [*command("dask scheduler"), "--host", "127.0.0.1", "--port", str(self.port)]
        scheduler = self._started("scheduler", words)
        wait_for(lambda: "Scheduler at" in scheduler.text, "the scheduler")
        return scheduler

    def start_worker(self, processes: int = 1, fault: str = "", **environment: str) -> Daemon:
        """`fault`: one of those of faulty_worker.py."""
        if fault:
            environment |= {"DASK_DISTRIBUTED__WORKER__PRELOAD": str(FAULTS), "FAULT": fault}
        words = [
            word.replace("tls://organizers-host:8786", self.url) for word in command("dask worker")
        ]
        words = [
            f"--nworkers={processes}" if word.startswith("--nworkers") else word for word in words
        ]
        folder = ["--local-directory", str(self.folder / f"scratch-{len(self.daemons)}")]
        worker = self._started("worker", [*words, "--host", "127.0.0.1", *folder], **environment)
        wait_for(lambda: "Registered to" in worker.text, "the worker")
        return worker

    def _started(self, name: str, words: list[str], **environment: str) -> Daemon:
        log = self.folder / f"{name}-{len(self.daemons)}.log"
        made = Daemon(log, words, DASK_CONFIG=str(self.settings), **environment)
        self.daemons.append(made)
        return made

    def stop(self) -> None:
        for daemon in reversed(self.daemons):
            daemon.stop()


def make_key(folder: Path) -> None:
    subprocess.run(command("openssl"), cwd=folder, check=True, capture_output=True)


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
    """With a scheduler, and no worker yet. This process has the cluster's settings of dask
    meanwhile."""
    made = Cluster(folder)
    try:
        together = dask.config.merge(dask.config.get("distributed"), made.config["distributed"])
        with dask.config.set(distributed=together):
            made.start_scheduler()
            yield made
    finally:
        made.stop()
