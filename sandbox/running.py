"""A started sandbox."""

from __future__ import annotations

import os
import signal
import subprocess
from abc import ABC, abstractmethod
from contextlib import ExitStack
from enum import StrEnum
from typing import NamedTuple

from sandbox.limits import NOT_COUNTED, Usage


class Ending(StrEnum):
    """How a sandboxed command ended."""

    EXIT = "exit"
    SIGNAL = "signal"
    CPU_LIMIT = "CPU time limit"
    MEMORY_LIMIT = "memory limit"  # of the whole sandbox, where the host has groups
    WALL_LIMIT = "wall time limit"
    OUTPUT_LIMIT = "output limit"
    KILLED = "ended by us"
    NOT_STARTED = "not started"  # only in an image, where the command may not be a program


class CommandEnd(NamedTuple):
    """How a command ended. `code`: exit code (EXIT), signal's number (SIGNAL), MB (MEMORY_LIMIT),
    or 0."""

    ending: Ending
    code: int


class RunningSandbox(ABC):
    """A started sandbox. `stdout` and `stderr` are descriptors to read. Call `end`, then `close`.

    `process` is the tool that made the sandbox (bubblewrap), not the foreign command.
    `usage`: of all its processes together, after `end`.
    `gone`: a descriptor that can be read once `process` has ended; call `end_rest` then. None: not
    needed.
    """

    gone: int | None = None
    usage = NOT_COUNTED

    def __init__(
        self, process: subprocess.Popen[bytes], stdout: int, stderr: int, descriptors: ExitStack
    ) -> None:
        """`descriptors` closes our ends of the pipes."""
        self._process = process
        self.stdout, self.stderr = stdout, stderr
        self._descriptors = descriptors

    def wait(self, seconds: float) -> bool:
        """Return whether the sandbox ended by itself within `seconds`."""
        try:
            self._process.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            return False
        return True

    def cpu_seconds(self) -> float | None:
        """Return the processor time of all its processes so far, also after `end`; None if nobody
        counts it."""
        return self.usage.cpu_seconds

    def usage_so_far(self) -> Usage:
        return self.usage

    def pause(self) -> None:
        """Stop all its processes until `resume`, where that is possible."""
        return

    def resume(self) -> None:
        """Continue after `pause`."""
        return

    def drop_errors(self, but: int) -> None:
        """Drop what waits on `stderr`, but for its last bytes, where that is cheaper than to read
        it."""
        return

    def sleeps(self) -> bool:
        """Return whether there is a process of the program, and all of them are known to wait for
        something that is not a processor or a disk."""
        return False

    @abstractmethod
    def end(self) -> CommandEnd | None:
        """Make sure that no process is left. Return how the command ended; None if it did not by
        itself.

        `stdout` and `stderr` can be read until `close`.
        """

    def end_rest(self) -> None:
        """After `process` has ended: end what is left of the sandbox, so that its pipes close."""
        return

    @abstractmethod
    def classify_start_failure(self, stderr: bytes) -> Ending:
        """Return how a sandbox ended whose command was not started. Raises ToolMissing if the fault
        is ours.

        No foreign code has run, so `stderr` is the tool's own.
        """

    def close(self) -> None:
        self._descriptors.close()


def command_end(exit_code: int) -> CommandEnd:
    """Read an exit code as shells write it: 128 + n for a command that died of signal n."""
    number = exit_code - 128
    if number == signal.SIGXCPU:
        return CommandEnd(Ending.CPU_LIMIT, 0)
    if 0 < number <= signal.SIGRTMAX:
        return CommandEnd(Ending.SIGNAL, number)
    return CommandEnd(Ending.EXIT, exit_code)


def open_pipe(readers: ExitStack, writers: ExitStack) -> tuple[int, int]:
    """Return a pipe's two ends, (read, write), each closed with its stack."""
    read_end, write_end = os.pipe()
    readers.callback(os.close, read_end)
    writers.callback(os.close, write_end)
    return read_end, write_end
