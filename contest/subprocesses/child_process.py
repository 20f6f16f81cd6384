"""Our own trusted child processes, started and ended. Foreign programs go into the jail instead."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_OUR_SETTINGS = "KNOBELN_"  # passwords may be among them, and nobody else has use for them


class Process:
    """A child process of ours. It has its own session, so that Ctrl-C in our terminal does not reach it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        return self._process.pid

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        return self._process.poll()

    def terminate(self, grace: float = 5.0) -> int:
        """Ask it to end, after `grace` seconds end it; its exit code."""
        self._process.terminate()
        try:
            return self._process.wait(grace)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


def start(command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None) -> Process:
    """Start the command without input; what it says is appended to `log`. Without `environment`: ours."""
    with log.open("ab") as output:
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


@dataclass(frozen=True)
class Finished:
    """What a command said. `code` is negative for a signal, None where its time was up."""

    code: int | None
    output: bytes
    errors: bytes


def run(command: Sequence[str], given: bytes, seconds: float) -> Finished:
    """Run a command that the organizer chose to its end, with `given` as its input, `seconds` at most.

    It does not see our own settings in its environment. Raises OSError where it cannot be started.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_OUR_SETTINGS)}
    process = subprocess.Popen(  # noqa: S603 - the organizer's own words from contest.toml, without a shell
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(given, seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # its children too: they would keep our pipes open
        output, errors = process.communicate()
        return Finished(None, output, errors)
    return Finished(process.returncode, output, errors)
