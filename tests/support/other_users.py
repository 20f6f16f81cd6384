"""Run the program for, or as, another user of this host, as only root can."""

import os
import platform
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.support.machine_programs import ROOT
from tests.support.processes import Process, start

NOBODYS = 61_993
"""A user id without a name, which no sandbox uses."""


def python_for_others() -> tuple[str, dict[str, str]]:
    """A Python that the other user can start, and its environment: root's own may be hidden in
    /root."""
    path = f"{ROOT}:{sysconfig.get_path('purelib')}"
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    for python in (sys.executable, "/usr/bin/python3"):
        asked = [
            python,
            "-c",
            "import knobeln.cli, platform; print(platform.python_version_tuple()[1])",
        ]
        try:
            done = subprocess.run(
                asked, env=environment, user=NOBODYS, capture_output=True, check=False
            )
        except OSError:
            continue
        if done.stdout.decode().strip() == platform.python_version_tuple()[1]:
            return python, environment
    pytest.skip("there is no Python that another user can start")


def start_as_root(log: Path, *words: object, **environment: str) -> Process:
    """Start `knobeln WORDS` as root."""
    python, usual = python_for_others()
    return start([python, "-m", "knobeln", *map(str, words)], log, {**usual, **environment})


def users_of(pid: int) -> dict[str, set[str]]:
    """The users, groups and capabilities of a process, as the kernel tells them."""
    lines = (line.split(":") for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return {
        name: set(rest.split())
        for name, rest in lines
        if name in ("Uid", "Gid", "Groups", "CapEff")
    }
