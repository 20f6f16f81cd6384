"""A sandboxed process that answers questions: a line in, a line out, each answer with its own deadline.

- Deadlines use the monotonic clock. An answer that is there when we look, at the deadline or later, is in
  time: teams do not pay for our own delays.
- Answers are taken in the order in which they were written. A program that writes a line too many is out of
  step until `drop_output`; if we dropped lines that came "too early" while a game is played, the game would
  depend on who was quicker.
- We drain standard error while we wait, and keep its last 4 kB for the program's team.
- A last line without a newline is a line.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import StrEnum
from types import TracebackType

from sandbox.limits import NOT_COUNTED, Usage
from sandbox.running import CommandEnd, Ending, RunningSandbox, used_too_much_memory

STDERR_TAIL_BYTES = 4_096

_CHUNK_BYTES = 65_536
_REST_SECONDS = 0.05  # the time for the rest of a message of which a part has come
_EXIT_GRACE_SECONDS = 1.0  # between the end of a sandbox's output and its own end
_BLANK = " \t\r\n"


class AnswerKind(StrEnum):
    """What came back from a question."""

    LINE = "line"
    LATE = "late"
    ENDED = "ended"
    TOO_LONG = "too long"


@dataclass(frozen=True)
class ExitStatus:
    """How a process ended. `code`: see CommandEnd; `stderr`: at most STDERR_TAIL_BYTES.

    `usage`: of all processes of its sandbox together.
    """

    ending: Ending
    code: int
    stderr: bytes
    usage: Usage = NOT_COUNTED

    @property
    def description(self) -> str:
        """A verb phrase for "the program ...", for example "ended with exit code 1"."""
        if self.ending is Ending.SIGNAL:
            return f"was ended by signal {self.code} ({_signal_name(self.code)})"
        if self.ending is Ending.EXIT:
            return f"ended with exit code {self.code}"
        if self.ending is Ending.CPU_LIMIT:
            return "had used up its CPU time"
        if self.ending is Ending.MEMORY_LIMIT:
            return used_too_much_memory(self.code)
        return "could not be started" if self.ending is Ending.NOT_STARTED else "was ended"


@dataclass(frozen=True)
class Answer:
    """`text`: the output without blanks at its ends; "" unless LINE, or ENDED after `finish`."""

    kind: AnswerKind
    text: str = ""
    exit_status: ExitStatus | None = None  # only with ENDED


class SandboxedProcess:
    """A program in a sandbox (made by Sandbox.open). After LATE, ENDED and TOO_LONG: close it.

    One thread at a time may use it, and it does not outlive the thread that opened it.
    """

    def __init__(self, sandbox: RunningSandbox, stdin: int, answer_bytes: int) -> None:
        """`stdin` is closed with the process. `answer_bytes`: the maximum length of an answer."""
        self._sandbox = sandbox
        self._answer_bytes = answer_bytes
        self._outgoing = bytearray()
        self._received = bytearray()
        self._stderr: deque[int] = deque(maxlen=STDERR_TAIL_BYTES)
        self._open = {sandbox.stdout, sandbox.stderr}
        self._gone = sandbox.gone
        self._exit_status: ExitStatus | None = None
        self._descriptors = ExitStack()
        self._descriptors.callback(sandbox.close)
        self._stdin: int | None = stdin
        os.set_blocking(stdin, False)

    def __enter__(self) -> SandboxedProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ask(self, line: str, seconds: float) -> Answer:
        """Send the line and wait at most `seconds` for the next line of output."""
        deadline = time.monotonic() + seconds
        self.tell(line)
        while True:
            answer = self._next_line()
            if answer is not None:
                return answer
            if not self._has_output:
                return self._answer_ended()
            if not self._exchange(deadline):
                return Answer(AnswerKind.LATE)

    def tell(self, line: str) -> None:
        """Send a line that needs no answer. The next question takes along bytes that the pipe refuses now."""
        if "\n" in line:
            raise ValueError("a question is one line")
        self._outgoing += line.encode() + b"\n"
        self._send()

    def drop_output(self, seconds: float) -> int:
        """Wait at most `seconds` for output that nobody has asked for; drop it, and return its lines."""
        deadline = time.monotonic() + seconds
        last = deadline + _REST_SECONDS
        size = len(self._received)
        while self._has_output and self._exchange(deadline) and len(self._received) <= self._answer_bytes:
            if len(self._received) > size:
                size = len(self._received)
                deadline = min(last, time.monotonic() + _REST_SECONDS)
        lines = len(bytes(self._received).splitlines())
        self._received.clear()
        return lines

    def finish(self, seconds: float) -> Answer:
        """Close its input, and wait at most `seconds` for all its output and its end (ENDED)."""
        deadline = time.monotonic() + seconds
        self._close_stdin()
        while self._has_output:
            if not self._exchange(deadline):
                return Answer(AnswerKind.LATE)
            if len(self._received) > self._answer_bytes:
                return Answer(AnswerKind.TOO_LONG)
        if not self._sandbox.wait(deadline - time.monotonic()):
            return Answer(AnswerKind.LATE)
        return Answer(AnswerKind.ENDED, _text(self._received), self._answer_ended().exit_status)

    def stderr_tail(self) -> bytes:
        """The end of its standard error so far, at most STDERR_TAIL_BYTES."""
        if self._exit_status is None and self._sandbox.stderr in self._poll(0):
            self._read(self._sandbox.stderr)
        return bytes(self._stderr)

    def close(self) -> ExitStatus:
        """End it, unless it has ended, and return how it ended. No process of its sandbox is left."""
        if self._exit_status is None:
            self._close_stdin()
            with self._descriptors:
                end = self._sandbox.end() or CommandEnd(Ending.KILLED, 0)
                while ready := [descriptor for descriptor in self._poll(0) if descriptor in self._open]:
                    for descriptor in ready:
                        self._read(descriptor)
            self._exit_status = ExitStatus(*end, bytes(self._stderr), self._sandbox.usage)
        return self._exit_status

    @property
    def _has_output(self) -> bool:
        return self._exit_status is None and self._sandbox.stdout in self._open

    def _next_line(self) -> Answer | None:
        line, newline, rest = bytes(self._received).partition(b"\n")
        if len(line) > self._answer_bytes:
            return Answer(AnswerKind.TOO_LONG)
        if not newline and (self._has_output or not line):
            return None
        self._received = bytearray(rest)
        return Answer(AnswerKind.LINE, _text(line))

    def _answer_ended(self) -> Answer:
        """After the end of its output. The sandbox's own processes hold standard output open too, so a
        program that only closes it merely seems silent."""
        ended_by_itself = self._exit_status is None and self._sandbox.wait(_EXIT_GRACE_SECONDS)
        status = self.close()
        if ended_by_itself and status.ending is Ending.KILLED:  # so its command was never started
            ending = self._sandbox.classify_start_failure(status.stderr)
            self._exit_status = status = replace(status, ending=ending, code=0)
        return Answer(AnswerKind.ENDED, exit_status=status)

    def _exchange(self, deadline: float) -> bool:
        """Write input and read output once. False: the deadline passed and there was no output."""
        ready = self._poll(max(0.0, deadline - time.monotonic()))
        in_time = time.monotonic() <= deadline
        for descriptor in ready:
            if descriptor == self._stdin:
                self._send()
            elif descriptor == self._gone:
                self._gone = None
                self._sandbox.end_rest()
            else:
                self._read(descriptor)
        return in_time or self._sandbox.stdout in ready

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

    def _read(self, descriptor: int) -> None:
        chunk = os.read(descriptor, _CHUNK_BYTES)
        if not chunk:
            self._open.discard(descriptor)
        elif descriptor == self._sandbox.stdout:
            self._received += chunk
        else:
            self._stderr.extend(chunk[-STDERR_TAIL_BYTES:])


def _text(raw: bytes | bytearray) -> str:
    return raw.decode(errors="replace").strip(_BLANK)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "a signal of its own"
