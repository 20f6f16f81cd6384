"""Our own trusted child processes, started and ended. Foreign programs go into the jail instead."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


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
