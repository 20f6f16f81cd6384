"""Start and end our own trusted child processes. Foreign programs run in `sandbox` instead."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from socket import socket

_OWN_VARIABLES_PREFIX = "KNOBELN_"  # they may contain passwords


class Process:
    """A child process in a session of its own, so that Ctrl-C in our terminal does not reach it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        return self._process.pid

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal; None while the process runs."""
        return self._process.poll()

    def terminate(self, grace_seconds: float = 5.0) -> int:
        """Send SIGTERM, and SIGKILL after `grace_seconds`; return the exit code."""
        self._process.terminate()
        try:
            return self._process.wait(grace_seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


def own_command(*words: str) -> list[str]:
    """Return the command line of `knobeln` with these words, in a process of its own.

    -P: Python would look for modules in the current folder first, and a stray `cmd.py` in /tmp
    would take the place of a module of ours or of a library.
    """
    return [sys.executable, "-P", "-m", "knobeln", *words]


def start(
    command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
) -> Process:
    """Start the command without input, appending its output to `log`. `environment` defaults to
    ours."""
    with open(log, "ab", opener=lambda name, flags: os.open(name, flags, 0o600)) as output:
        return Process(
            subprocess.Popen(  # noqa: S603 - callers start programs of ours only
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
        )


def start_module(module: str, link: socket) -> Process:
    """Start this module of ours as a program that talks over `link`, whose number is its argument.

    It has our standard error, and nothing else of ours that is open.
    """
    number = link.fileno()
    return Process(
        subprocess.Popen(  # noqa: S603 - a module of ours
            [sys.executable, "-P", "-m", module, str(number)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(number,),
            start_new_session=True,
        )
    )


@dataclass(frozen=True)
class CommandResult:
    """The output of a command. `code` is negative for a signal, None if its time was up."""

    code: int | None
    stdout: bytes
    stderr: bytes


def run(
    command: Sequence[str],
    stdin: bytes,
    seconds: float,
    environment: Mapping[str, str] | None = None,
) -> CommandResult:
    """Run a command that the organizer has configured, or one of the database's, to its end.

    It takes at most `seconds`. Its environment is ours without our own settings, and with
    `environment`. Raises OSError if it cannot be started.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_OWN_VARIABLES_PREFIX)
    }
    process = subprocess.Popen(  # noqa: S603 - commands that the organizer or we have chosen, without a shell
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=inherited | dict(environment or {}),
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(stdin, seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # its children too: they would keep our pipes open
        stdout, stderr = process.communicate()
        return CommandResult(None, stdout, stderr)
    return CommandResult(process.returncode, stdout, stderr)
