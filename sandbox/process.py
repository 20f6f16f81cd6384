"""A sandboxed process that answers questions: a line in, a line out, each answer with its own time
limit.

- The limit of an answer is processor time of the whole sandbox, so it does not matter how busy the
  host is. Who sleeps uses none, and has a limit of its own, `sleep_seconds`. A program sleeps if
  none of its threads computes, or waits for a processor or a disk. Where nobody counts processor
  time, the clock decides alone.
- From its answer to the next question a program is paused with all its processes, so that it cannot
  think, or keep the host busy, while others are asked.
- An answer that is there when we look is in time, however late we look: teams do not pay for our
  own delays.
- Answers are taken in the order in which they were written. A program that writes a line too many
  is out of step until `drop_output`; if we dropped lines that came "too early" while a game is
  played, the game would depend on who was quicker.
- We drain standard error while we wait, and keep its last 4 kB for the program's team.
- A last line without a newline is a line.
"""

from __future__ import annotations

import fcntl
import os
import random
import select
import signal
import termios
import time
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import StrEnum
from types import TracebackType
from typing import NamedTuple

from contest.language import decimal, gettext, number
from contest.util.clock import sleep_seconds
from sandbox import budget
from sandbox.budget import UsedUp
from sandbox.limits import NOT_COUNTED, Usage
from sandbox.running import CommandEnd, Ending, RunningSandbox

STDERR_TAIL_BYTES = 4_096

_CHUNK_BYTES = 65_536
_REST_SECONDS = 0.05  # the time for the rest of a message of which a part has come
_MOMENT_SECONDS = 0.0002  # shorter than a poll can wait
_EXIT_GRACE_SECONDS = 1.0  # between the end of a sandbox's output and its own end
_LOOK_SECONDS = 0.05  # we look at a program once in so long, while it answers
_BLANK = " \t\r\n"
WORKER_WALL_FACTOR = 10
"""A worker may stand still for so many times its processor time: then the host is not well."""


class AnswerKind(StrEnum):
    """What came back from a question."""

    LINE = "line"
    LATE = "late"
    ENDED = "ended"
    TOO_LONG = "too long"


@dataclass(frozen=True)
class ExitStatus:
    """How a process ended. `code`: see CommandEnd; `usage`: of all processes of its sandbox
    together.

    From `Sandbox.run`, `stdout` and `stderr` are complete; from `SandboxedProcess`, `stdout` is
    empty and `stderr` has the last STDERR_TAIL_BYTES. A command that exits with 128 + n looks like
    one that died of signal n, as it does to a shell.
    """

    ending: Ending
    code: int
    stderr: bytes
    usage: Usage = NOT_COUNTED
    stdout: bytes = b""

    @property
    def succeeded(self) -> bool:
        return self.ending is Ending.EXIT and self.code == 0

    @property
    def description(self) -> str:
        """A verb phrase for "the program ...", for example "ended with exit code 1"."""
        if self.ending is Ending.SIGNAL:
            try:
                name = signal.Signals(self.code).name
            except ValueError:
                name = gettext("a signal of its own")
            return gettext("was ended by signal %(number)s (%(name)s)", number=self.code, name=name)
        if self.ending is Ending.EXIT:
            return gettext("ended with exit code %(code)s", code=self.code)
        if self.ending is Ending.CPU_LIMIT:
            return gettext("had used up its CPU time")
        if self.ending is Ending.MEMORY_LIMIT:
            return gettext(
                "used more than %(memory)s MB of memory, with its files and all its processes,",
                memory=number(self.code),
            )
        return (
            gettext("could not be started")
            if self.ending is Ending.NOT_STARTED
            else gettext("was ended")
        )


class Answer(NamedTuple):
    """What came back. `seconds`: what it took; by the clock where nobody counts processor time.
    `slept`: seconds, as far as we saw.

    `text`: LINE, and ENDED after `finish`: the output without blanks at its ends; LATE: a sentence
    with its time; otherwise "".
    """

    kind: AnswerKind
    text: str = ""
    exit_status: ExitStatus | None = None  # only with ENDED
    seconds: float = 0.0
    slept: float = 0.0


class _TimeLimit:
    """The time for one answer: `seconds` of processor time, and a time for sleep.

    We look once in each _LOOK_SECONDS, at a random moment, and who sleeps then has slept for so
    long. So nobody knows when to seem awake, and many short sleeps count as one long sleep does. If
    we come late, the host is busy, and what we have not seen counts for nothing.

    `cpu_before`: processor time used before; None if nobody counts it. That of a worker's answer
    counts from our first look, for a look before each question would take too long. A worker never
    sleeps: one that stands still is a fault of the host.
    """

    __slots__ = (
        "_cpu_before",
        "_end_of_sleep",
        "_is_unseen",
        "_may_sleep",
        "_sandbox",
        "_seconds",
        "_start",
        "_turn",
        "next_look",
        "slept",
    )

    def __init__(
        self,
        sandbox: RunningSandbox,
        seconds: float,
        slept_before: float,
        cpu_before: float | None,
        *,
        is_worker: bool,
    ) -> None:
        self._sandbox, self._seconds, self._is_unseen = sandbox, seconds, is_worker
        self._cpu_before = 0.0 if is_worker else cpu_before
        self._may_sleep = WORKER_WALL_FACTOR * seconds if is_worker else sleep_seconds(seconds)
        self._end_of_sleep = self._may_sleep - slept_before
        self.slept = 0.0
        self._start = self._turn = time.monotonic()
        self._choose_next_look()

    def _choose_next_look(self) -> None:
        moment = random.uniform(0, _LOOK_SECONDS)  # noqa: S311 - no secret
        is_counted = self._cpu_before is not None
        self.next_look = self._turn + moment if is_counted else self._start + self._seconds

    def is_over(self, *, sleeps: bool) -> bool:
        """Look; and choose when to look next. `sleeps`: what we have seen."""
        now, cpu_now = time.monotonic(), self._sandbox.cpu_seconds()
        if self._is_unseen:
            self._is_unseen, self._cpu_before = False, cpu_now
        self._turn = max(self._turn + _LOOK_SECONDS, now)
        self._choose_next_look()
        if self._cpu_before is None or cpu_now is None:
            return now >= self.next_look
        self.slept += _LOOK_SECONDS if sleeps else 0.0
        return cpu_now - self._cpu_before > self._seconds or self.slept > self._end_of_sleep

    def judge(self, answer: Answer, cpu_now: float | None) -> Answer:
        """Return the answer with its time; LATE if it took more processor time than it may."""
        kind, text, status, *_ = answer
        if self._cpu_before is None or cpu_now is None:
            if kind is AnswerKind.LATE:
                text = gettext(
                    "there was no answer within %(most)s s", most=decimal(f"{self._seconds:g}")
                )
            return Answer(kind, text, status, time.monotonic() - self._start)
        used = cpu_now - self._cpu_before
        if used > self._seconds:
            sentence = gettext(
                "the answer took %(used)s s of processor time; it may take %(most)s s",
                used=decimal(f"{used:.2f}"),
                most=decimal(f"{self._seconds:g}"),
            )
            return Answer(AnswerKind.LATE, sentence, None, used, self.slept)
        if kind is AnswerKind.LATE:
            text = gettext(
                "there was no answer, and the program has slept for %(most)s s, which is as long as"
                " it may; to wait for a busy computer is no sleep",
                most=decimal(f"{self._may_sleep:g}"),
            )
        return Answer(kind, text, status, used, self.slept)


class SandboxedProcess:
    """A program in a sandbox (made by Sandbox.open). After LATE, ENDED and TOO_LONG: close it.

    One thread at a time may use it, and it does not outlive the thread that opened it. It runs from
    the start to its first answer, and then only while it is asked, or while its output is dropped.
    """

    def __init__(
        self, sandbox: RunningSandbox, stdin: int, answer_bytes: int, *, is_worker: bool = False
    ) -> None:
        """`stdin` is closed with the process. `answer_bytes`: the maximum length of an answer.

        `is_worker`: it runs code of ours that lets nothing foreign run between two questions. So
        nobody pauses it.
        """
        self._sandbox = sandbox
        self._is_worker = is_worker
        self._answer_bytes = answer_bytes
        self._outgoing = bytearray()
        self._received = bytearray()
        self._stderr: deque[int] = deque(maxlen=STDERR_TAIL_BYTES)
        self._open = {sandbox.stdout, sandbox.stderr}
        self._exit_status: ExitStatus | None = None
        # Used before the next question. The first answer's time includes the start.
        self._cpu_before = None if is_worker or sandbox.cpu_seconds() is None else 0.0
        self._budget = budget.current()
        self._paid = 0.0  # from the budget
        self._is_cut = False  # the budget has less left than an answer may take
        self._descriptors = ExitStack()
        self._descriptors.callback(sandbox.close)
        self._stdin: int | None = stdin
        self._is_waiting_to_send = False
        os.set_blocking(stdin, False)
        self._poll = select.poll()
        for descriptor in (sandbox.stdout, sandbox.stderr, sandbox.gone):
            if descriptor is not None:
                self._poll.register(descriptor, select.POLLIN)

    def __enter__(self) -> SandboxedProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def ask(self, line: str, seconds: float, slept_before: float = 0.0) -> Answer:
        """Send the line and wait for the next line of output, which may take `seconds`.

        `slept_before`: how long the program has slept already in this game.
        """
        self.tell(line)
        limit = self._resume(seconds, slept_before)
        while True:
            answer = self._next_line()
            if answer is None and not self._has_output:
                answer = self._answer_ended()
            if answer is None and not self._exchange(limit.next_look) and self._is_over(limit):
                answer = Answer(AnswerKind.LATE)
            if answer is not None:
                return self._paused(limit, answer)

    def tell(self, line: str) -> None:
        """Send a line that needs no answer. The next question takes along bytes that the pipe
        refuses now."""
        if "\n" in line:
            raise ValueError("a question is one line")
        self._outgoing += line.encode() + b"\n"
        self._send()

    def drop_output(self, seconds: float, *, is_usually_quiet: bool) -> int:
        """Let it run for at most `seconds`, drop output that nobody has asked for, and return its
        lines.

        `is_usually_quiet`: wait only until it has read what it was told and sleeps, or a moment
        after that.
        """
        size = len(self._received)
        self._sandbox.resume()
        deadline = time.monotonic() + seconds
        if is_usually_quiet:
            self._wait_until_read(deadline)
            deadline = min(deadline, time.monotonic())
        last = deadline + _REST_SECONDS
        while (
            self._has_output
            and len(self._received) <= self._answer_bytes
            and self._exchange(deadline)
        ):
            if len(self._received) > size:
                size = len(self._received)
                deadline = min(last, time.monotonic() + _REST_SECONDS)
        lines = len(bytes(self._received).splitlines())
        self._received.clear()
        self._sandbox.pause()
        self._cpu_before = self._sandbox.cpu_seconds()
        return lines

    def _wait_until_read(self, deadline: float) -> None:
        """Wait until it has read what it was told, and then until it sleeps, or a moment.

        To sleep is to want the next line, for a program that does not wait for something else.
        """
        moment = time.monotonic() + _MOMENT_SECONDS
        while self._has_unread_input and (now := time.monotonic()) < deadline:
            if now < moment:
                os.sched_yield()  # most programs need less than the shortest sleep
            else:
                time.sleep(_MOMENT_SECONDS)
        if not self._sandbox.sleeps():
            time.sleep(_MOMENT_SECONDS)

    @property
    def _has_unread_input(self) -> bool:
        """Whether it has not yet read all that we have sent."""
        if self._stdin is None:
            return False
        waiting = fcntl.ioctl(self._stdin, termios.FIONREAD, bytes(4))
        return bool(self._outgoing) or waiting != bytes(4)

    def finish(self, seconds: float, slept_before: float = 0.0) -> Answer:
        """Close its input, and wait for all its output and its end (ENDED), which may take
        `seconds`. `slept_before`: as for `ask`."""
        self._close_stdin()
        limit = self._resume(seconds, slept_before)
        return self._paused(limit, self._finish(limit))

    def _is_over(self, limit: _TimeLimit) -> bool:
        """Look whether its time is over. Who has answered, or has ended, does not sleep."""
        sleeps = self._sandbox.sleeps() and not {
            self._sandbox.stdout,
            self._sandbox.gone,
        }.intersection(self._ready(0.0))
        return limit.is_over(sleeps=sleeps)

    def _resume(self, seconds: float, slept_before: float) -> _TimeLimit:
        """Let it run for an answer."""
        if not self._is_worker:
            self._sandbox.resume()
        if self._budget:
            self._is_cut = self._budget.left < seconds
            seconds = min(seconds, self._budget.left)
        return _TimeLimit(
            self._sandbox, seconds, slept_before, self._cpu_before, is_worker=self._is_worker
        )

    def _paused(self, limit: _TimeLimit, answer: Answer) -> Answer:
        if self._is_worker:
            self._pay(answer)
            return limit.judge(
                answer, self._sandbox.cpu_seconds() if answer.kind is AnswerKind.LATE else None
            )
        self._sandbox.pause()
        self._pay(answer)
        self._cpu_before = self._sandbox.cpu_seconds()
        return limit.judge(answer, self._cpu_before)

    def _pay(self, answer: Answer) -> None:
        """Pay what its whole sandbox has used since it paid last. Raises UsedUp."""
        if not self._budget:
            return
        used = self._sandbox.cpu_seconds() or 0.0
        unpaid = used - self._paid
        self._paid = used
        self._budget.pay(unpaid)
        if self._is_cut and answer.kind is AnswerKind.LATE:
            raise UsedUp

    def _finish(self, limit: _TimeLimit) -> Answer:
        while self._has_output:
            if not self._exchange(limit.next_look) and self._is_over(limit):
                return Answer(AnswerKind.LATE)
            if len(self._received) > self._answer_bytes:
                return Answer(AnswerKind.TOO_LONG)
        while not self._sandbox.wait(limit.next_look - time.monotonic()):
            if self._is_over(limit):
                return Answer(AnswerKind.LATE)
        return Answer(AnswerKind.ENDED, _text(self._received), self._answer_ended().exit_status)

    def stderr_tail(self) -> bytes:
        """Return the end of its standard error so far, at most STDERR_TAIL_BYTES."""
        if self._exit_status is None and self._sandbox.stderr in self._ready(0.0):
            self._read(self._sandbox.stderr)
        return bytes(self._stderr)

    def usage(self) -> Usage:
        """Return the usage of its whole sandbox so far."""
        return self._exit_status.usage if self._exit_status else self._sandbox.usage_so_far()

    def close(self) -> ExitStatus:
        """End it, unless it has ended, and return how it ended. No process of its sandbox is
        left."""
        if self._exit_status is None:
            self._close_stdin()
            with self._descriptors:
                end = self._sandbox.end() or CommandEnd(Ending.KILLED, 0)
                while ready := [
                    descriptor for descriptor in self._ready(0.0) if descriptor in self._open
                ]:
                    for descriptor in ready:
                        self._read(descriptor)
            self._exit_status = ExitStatus(*end, bytes(self._stderr), self._sandbox.usage)
        return self._exit_status

    @property
    def _has_output(self) -> bool:
        return self._exit_status is None and self._sandbox.stdout in self._open

    def _next_line(self) -> Answer | None:
        end = self._received.find(b"\n")
        length = len(self._received) if end < 0 else end
        if length > self._answer_bytes:
            return Answer(AnswerKind.TOO_LONG)
        if end < 0 and (self._has_output or not length):
            return None
        line = self._received[:length]
        del self._received[: length + 1]
        return Answer(AnswerKind.LINE, _text(line))

    def _answer_ended(self) -> Answer:
        """After the end of its output. The sandbox's own processes hold standard output open too,
        so a program that only closes it merely seems silent."""
        ended_by_itself = self._exit_status is None and self._sandbox.wait(_EXIT_GRACE_SECONDS)
        status = self.close()
        if ended_by_itself and status.ending is Ending.KILLED:  # so its command was never started
            ending = self._sandbox.classify_start_failure(status.stderr)
            self._exit_status = status = replace(status, ending=ending, code=0)
        return Answer(AnswerKind.ENDED, exit_status=status)

    def _exchange(self, until: float) -> bool:
        """Write input and read output once. False: there was no output until then (monotonic
        clock)."""
        has_come = False
        for descriptor in self._ready(until - time.monotonic()):
            if descriptor == self._sandbox.stdout:
                has_come = True
                self._read(descriptor)
            elif descriptor == self._stdin:
                self._send()
            elif descriptor == self._sandbox.gone:
                self._poll.unregister(descriptor)
                self._sandbox.end_rest()
            else:
                self._read(descriptor)
        return has_come or time.monotonic() <= until

    def _ready(self, seconds: float) -> list[int]:
        return [
            descriptor for descriptor, _ in self._poll.poll(seconds * 1000 if seconds > 0 else 0)
        ]

    def _send(self) -> None:
        """Write what the pipe takes. The rest follows as soon as it takes more."""
        if self._stdin is None:
            return
        try:
            del self._outgoing[: os.write(self._stdin, self._outgoing)]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._close_stdin()
            return
        if self._outgoing:
            self._poll.register(self._stdin, select.POLLOUT)
        elif self._is_waiting_to_send:
            self._poll.unregister(self._stdin)
        self._is_waiting_to_send = bool(self._outgoing)

    def _close_stdin(self) -> None:
        if self._stdin is not None:
            if self._is_waiting_to_send:
                self._poll.unregister(self._stdin)
            os.close(self._stdin)
            self._stdin = None

    def _read(self, descriptor: int) -> None:
        if descriptor == self._sandbox.stderr:
            self._sandbox.drop_errors(but=STDERR_TAIL_BYTES)
        chunk = os.read(descriptor, _CHUNK_BYTES)
        if not chunk:
            self._open.discard(descriptor)
            self._poll.unregister(descriptor)
        elif descriptor == self._sandbox.stdout:
            self._received += chunk
        else:
            self._stderr.extend(chunk[-STDERR_TAIL_BYTES:])


def _text(raw: bytes | bytearray) -> str:
    return raw.decode(errors="replace").strip(_BLANK)
