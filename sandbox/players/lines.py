"""LINES: one process plays many games; it reads a line and writes a line.

A process that has crashed, was late or is out of step no longer knows the running game. For the rest of that
game the program is at fault at every turn; the next game starts a new process. The time of its first answer
includes its start.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from contest.games.base import TextProtocol, Words
from sandbox.players import (
    MAX_ANSWER_BYTES,
    Fault,
    FaultKind,
    as_text,
    crash,
    decoded,
    late,
    too_long,
)
from sandbox.process import Answer, AnswerKind, SandboxedProcess
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox

CPU_SECONDS = 3_600  # of one process, in all its games


@dataclass
class LinesPlayer:
    program: ProgramFolder
    sandbox: Sandbox
    seconds: float  # for each answer
    _process: SandboxedProcess | None = field(default=None, init=False)
    _stderr: bytes = field(default=b"", init=False)  # of the previous process
    _lost: Fault | None = field(default=None, init=False)  # why it cannot answer for the rest of this game

    @property
    def protocol(self) -> TextProtocol:
        return TextProtocol.STDIO

    def begin(self) -> None:
        self._lost = None

    def move(self, question: Words) -> str | Fault:
        if self._lost:
            return self._lost
        if self._process is None:
            self._process = self.program.open(
                self.sandbox, cpu_seconds=CPU_SECONDS, answer_bytes=MAX_ANSWER_BYTES
            )
        answer = self._process.ask(" ".join(as_text(question)), self.seconds)
        return answer.text if answer.kind is AnswerKind.LINE else self._fault(self._process, answer)

    def tell(self, words: Words) -> None:
        if self._process and not self._lost:
            self._process.tell(" ".join(as_text(words)))

    def stderr_tail(self) -> str:
        return decoded(self._process.stderr_tail() if self._process else self._stderr)

    def misunderstood(self) -> None:
        self.close()
        self._lost = Fault(FaultKind.CRASH, "the program was ended, because its last answer made no sense")

    def close(self) -> None:
        if self._process:
            self._stderr = self._process.close().stderr
        self._process = None

    def _fault(self, process: SandboxedProcess, answer: Answer) -> Fault:
        status = process.close()
        self.close()
        self._lost = Fault(FaultKind.CRASH, "the program does not run any more, because of what was before")
        if answer.kind is AnswerKind.LATE:
            return late(self.seconds, status)
        return too_long(status) if answer.kind is AnswerKind.TOO_LONG else crash(status)
