"""LINES: one process plays many games; it reads a line and writes a line.

A process that has crashed, was late or is out of step no longer knows the running game. For the rest of that
game the program is at fault at every turn; the next game starts a new process. The time of its first answer
includes its start.

Some programs answer even the message that the game is over. Such lines are dropped before the next game, or
they would be taken for its answers. We cannot know whether a program still wants to write, so we wait a
moment after its first game, and after each game that follows one with such a line.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contest.games.base import TextProtocol, Words
from sandbox.players import (
    MAX_ANSWER_BYTES,
    AnswerFault,
    AnswerFaultKind,
    as_text,
    crash,
    decoded,
    late,
    too_long,
)
from sandbox.process import Answer, AnswerKind, SandboxedProcess
from sandbox.program_folder import ProgramFolder

if TYPE_CHECKING:  # bubblewrap is not needed to talk with a program (knobellib.python_kit)
    from sandbox.sandbox import Sandbox

CPU_SECONDS = 3_600  # of one process, in all its games
UNASKED_SECONDS = 0.2  # after the message that the game is over


@dataclass
class LinesPlayer:
    program: ProgramFolder
    sandbox: Sandbox
    seconds: float  # for each answer
    _process: SandboxedProcess | None = field(default=None, init=False)
    _stderr: bytes = field(default=b"", init=False)  # of the previous process
    _lost: AnswerFault | None = field(default=None, init=False)  # why it answers no more in this game
    _unasked: int = field(default=0, init=False)  # lines that were dropped and not yet told
    _is_quiet: bool = field(default=False, init=False)  # it wrote nothing unasked after the last game
    _told_at: float = field(default=0.0, init=False)  # when it was told something, on the monotonic clock

    @property
    def protocol(self) -> TextProtocol:
        return TextProtocol.STDIO

    def begin(self) -> None:
        self._lost = None
        self._drop(0.0)

    def move(self, question: Words) -> str | AnswerFault:
        if self._lost:
            return self._lost
        if self._process is None:
            self._is_quiet = False
            self._process = self.program.open(
                self.sandbox, cpu_seconds=CPU_SECONDS, answer_bytes=MAX_ANSWER_BYTES
            )
        answer = self._process.ask(" ".join(as_text(question)), self.seconds)
        return answer.text if answer.kind is AnswerKind.LINE else self._fault(self._process, answer)

    def tell(self, words: Words) -> None:
        if self._process and not self._lost:
            self._process.tell(" ".join(as_text(words)))
            self._told_at = time.monotonic()

    def unasked_lines(self) -> int:
        if self._process and not self._lost:
            wait = 0.0 if self._is_quiet else self._told_at + UNASKED_SECONDS - time.monotonic()
            self._is_quiet = self._drop(max(0.0, wait)) == 0
        lines, self._unasked = self._unasked, 0
        return lines

    def stderr_tail(self) -> str:
        return decoded(self._process.stderr_tail() if self._process else self._stderr)

    def misunderstood(self) -> None:
        self.close()
        self._lost = AnswerFault(
            AnswerFaultKind.CRASH, "the program was ended, because its last answer made no sense"
        )

    def close(self) -> None:
        if self._process:
            self._stderr = self._process.close().stderr
        self._process = None

    def _drop(self, seconds: float) -> int:
        lines = self._process.drop_output(seconds) if self._process else 0
        self._unasked += lines
        return lines

    def _fault(self, process: SandboxedProcess, answer: Answer) -> AnswerFault:
        status = process.close()
        self.close()
        self._lost = AnswerFault(
            AnswerFaultKind.CRASH, "the program does not run any more, because of what was before"
        )
        if answer.kind is AnswerKind.LATE:
            return late(self.seconds, status)
        return too_long(status) if answer.kind is AnswerKind.TOO_LONG else crash(status)
