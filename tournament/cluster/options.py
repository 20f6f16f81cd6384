"""How dask is set up, the same on all computers of a cluster."""

from __future__ import annotations

import re
from pathlib import Path

import dask
import distributed

from contest.config.sections import SCHEDULER_PORT
from contest.errors import ConfigError

AUTHORITY, COMPUTER = "authority.pem", "computer.pem"
_OPTIONS = {
    "distributed.comm.require-encryption": True,
    "distributed.comm.timeouts.connect": "10s",
    # By default these are open to everybody on the network.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # The session decides what happens to the work of a worker that ended.
    "distributed.scheduler.allowed-failures": 0,
    # A worker that is silent for so long, because it was stopped or lost its network, counts as ended.
    "distributed.scheduler.worker-ttl": "20s",
    # Programs have limits of their own; a worker holds no data that would fill its memory.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    # dask watches itself many times a second, which takes processor time from the games.
    "distributed.worker.profile.enabled": False,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.gil.enabled": False,
}
QUIET = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
"""Arguments of schedulers and workers: no pages, and the port that they open all the same is local."""

_URL = re.compile(r"tls://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(:\d{1,5})?")


def set_up() -> None:
    """Set dask's options in this process, and in the workers that it starts."""
    dask.config.set(_OPTIONS)


def scheduler_url(text: str) -> str:
    """The scheduler's URL with its port. Raises ConfigError unless it is one with TLS."""
    found = _URL.fullmatch(text)
    if not found:
        raise ConfigError(
            f"{text!r} is not the address of a scheduler: write tls://computer or tls://computer:port. "
            "Without TLS anybody on the network could run programs as you, so nothing else is accepted"
        )
    return text if found[2] else f"{text}:{SCHEDULER_PORT}"


def security(keys: Path) -> distributed.Security:
    """The certificates of the folder, which every side must show. Raises ConfigError if they are missing."""
    authority, computer = keys / AUTHORITY, keys / COMPUTER
    for file in (authority, computer):
        if not file.is_file():
            raise ConfigError(
                f"{file} is missing: make the keys of the cluster once with `knobeln cluster keys`, and copy "
                "the folder to each of its computers"
            )
    roles = {
        f"tls_{role}_{part}": str(computer)
        for role in ("client", "scheduler", "worker")
        for part in ("cert", "key")
    }
    return distributed.Security(require_encryption=True, tls_ca_file=str(authority), **roles)
