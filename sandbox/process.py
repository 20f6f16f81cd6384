"""A prisoner that is asked: a line in, a line out, each answer with its own deadline.

- Time is that of the monotonic clock. An answer that is there when we look, at the deadline or after it, is
  in time: our own delays are never a team's fault.
- Answers are taken in the order in which they were written. A program that says a line too many is out of
  step from then on; to throw away what came "too early" would make a game depend on who was quicker.
- Standard error is drained while we listen, and its last 4 kB are kept for the program's team.
- A line that ends with the program, without a newline, is a line.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Protocol

from sandbox.bubblewrap import Ending

STDERR_TAIL = 4_096  # bytes of standard error that are kept

_CHUNK = 65_536
_LEAVING = 1.0  # seconds between the end of a box's output and its own end
_BLANK = " \t\r\n"


class Kind(StrEnum):
    """What came back from a question."""

    LINE = "line"
    LATE = "late"
    ENDED = "ended"
    TOO_LONG = "too long"


@dataclass(frozen=True)
class Ended:
    """How a prisoner came to its end, with an exit code or a signal's number, and its last words."""

    ending: Ending
    code: int
    stderr: bytes

    @property
    def words(self) -> str:
        """E.g. "ended with exit code 1", to be put behind "the program"."""
        if self.ending is Ending.SIGNAL:
            return f"was ended by signal {self.code} ({_signal_name(self.code)})"
        if self.ending is Ending.EXIT:
            return f"ended with exit code {self.code}"
        if self.ending is Ending.CPU_LIMIT:
            return "had used up its CPU time"
        return "could not be started" if self.ending is Ending.NOT_STARTED else "was ended"


@dataclass(frozen=True)
class Answer:
    """`text` is what was said, without blanks at its ends; "" unless LINE, or ENDED after `finish`."""

    kind: Kind
    text: str = ""
    ended: Ended | None = None  # exactly with ENDED


class Started(Protocol):
    """A box (box.py), or a container in its place (oci/engine.py); what these promise is told there."""

    stdout: int
    stderr: int

    @property
    def gone(self) -> int | None:
        """Can be read when it has ended; then `end_rest` brings the others to their ends."""

    def wait(self, seconds: float) -> bool: ...
    def end(self) -> tuple[Ending, int] | None: ...
    def end_rest(self) -> None: ...
    def close(self) -> None: ...

    def not_begun(self, words: bytes) -> Ending:
        """How one ended that did not start its command, and said this; raises ToolMissing if that is ours."""


class SandboxedProcess:
    """A program in a sandbox (made by Sandbox.open). After LATE, ENDED and TOO_LONG: close it.

    For one thread at a time, and not for longer than the thread lives that opened it.
    """

    def __init__(self, box: Started, stdin: int, answer_bytes: int) -> None:
        self._box = box
        self._answer_bytes = answer_bytes
        self._outgoing = bytearray()
        self._heard = bytearray()
        self._stderr: deque[int] = deque(maxlen=STDERR_TAIL)
        self._open = {box.stdout, box.stderr}
        self._gone = box.gone
        self._ended: Ended | None = None
        self._descriptors = ExitStack()
        self._descriptors.callback(box.close)
        self._stdin: int | None = stdin
        os.set_blocking(stdin, False)

    def __enter__(self) -> SandboxedProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ask(self, line: str, seconds: float) -> Answer:
        """Send the line, and wait at most so long for the next line of output."""
        deadline = time.monotonic() + seconds
        self.tell(line)
        while True:
            found = self._next_line()
            if found is not None:
                return found
            if not self._talks:
                return self._end()
            if not self._exchange(deadline):
                return Answer(Kind.LATE)

    def tell(self, line: str) -> None:
        """Send a line that is not answered. What is not taken at once waits for the next question."""
        if "\n" in line:
            raise ValueError("a question is one line")
        self._outgoing += line.encode() + b"\n"
        self._send()

    def finish(self, seconds: float) -> Answer:
        """End its input, and wait at most so long for all its output and its own end (ENDED)."""
        deadline = time.monotonic() + seconds
        self._close_stdin()
        while self._talks:
            if not self._exchange(deadline):
                return Answer(Kind.LATE)
            if len(self._heard) > self._answer_bytes:
                return Answer(Kind.TOO_LONG)
        if not self._box.wait(deadline - time.monotonic()):
            return Answer(Kind.LATE)
        return Answer(Kind.ENDED, _text(self._heard), self._end().ended)

    def said(self) -> bytes:
        """The end of its standard error so far, at most STDERR_TAIL bytes."""
        if self._ended is None and self._box.stderr in self._poll(0):
            self._listen(self._box.stderr)
        return bytes(self._stderr)

    def close(self) -> Ended:
        """End it, if it has not ended, and tell how it did. No process of its box is left."""
        if self._ended is None:
            self._close_stdin()
            with self._descriptors:
                end = self._box.end() or (Ending.KILLED, 0)
                self._drain()
            self._ended = Ended(*end, bytes(self._stderr))
        return self._ended

    @property
    def _talks(self) -> bool:
        return self._ended is None and self._box.stdout in self._open

    def _next_line(self) -> Answer | None:
        line, newline, rest = bytes(self._heard).partition(b"\n")
        if len(line) > self._answer_bytes:
            return Answer(Kind.TOO_LONG)
        if not newline and (self._talks or not line):
            return None
        self._heard = bytearray(rest)
        return Answer(Kind.LINE, _text(line))

    def _end(self) -> Answer:
        """Its output is at its end. The box holds it too, so a program that closes it only falls silent."""
        left = self._ended is None and self._box.wait(_LEAVING)
        ended = self.close()
        if left and ended.ending is Ending.KILLED:
            self._ended = ended = Ended(self._box.not_begun(ended.stderr), 0, ended.stderr)
        return Answer(Kind.ENDED, ended=ended)

    def _exchange(self, deadline: float) -> bool:
        """Write input and read output once. False: there was nothing up to the deadline, or it is over."""
        ready = self._poll(max(0.0, deadline - time.monotonic()))
        in_time = time.monotonic() <= deadline
        for descriptor in ready:
            if descriptor == self._stdin:
                self._send()
            elif descriptor == self._gone:
                self._gone = None
                self._box.end_rest()
            else:
                self._listen(descriptor)
        return in_time or self._box.stdout in ready

    def _poll(self, seconds: float) -> list[int]:
        waiter = select.poll()
        for descriptor in self._open:
            waiter.register(descriptor, select.POLLIN)
        if self._gone is not None:
            waiter.register(self._gone, select.POLLIN)
        if self._outgoing and self._stdin is not None:
            waiter.register(self._stdin, select.POLLOUT)
        return [descriptor for descriptor, _ in waiter.poll(seconds * 1000)]

    def _send(self) -> None:
        if self._stdin is None:
            return
        try:
            del self._outgoing[: os.write(self._stdin, self._outgoing)]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._close_stdin()

    def _close_stdin(self) -> None:
        if self._stdin is not None:
            os.close(self._stdin)
            self._stdin = None

    def _listen(self, descriptor: int) -> None:
        chunk = os.read(descriptor, _CHUNK)
        if not chunk:
            self._open.discard(descriptor)
        elif descriptor == self._box.stdout:
            self._heard += chunk
        else:
            self._stderr.extend(chunk[-STDERR_TAIL:])

    def _drain(self) -> None:
        """What a dead prisoner left in its pipes."""
        while ready := [descriptor for descriptor in self._poll(0) if descriptor in self._open]:
            for descriptor in ready:
                self._listen(descriptor)


def _text(raw: bytes | bytearray) -> str:
    return raw.decode(errors="replace").strip(_BLANK)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "a signal of its own"
