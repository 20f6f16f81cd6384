"""LINES: one process plays many games; it reads a line and writes a line.

A process that has crashed, was late or is out of step no longer knows the running game. For the
rest of that game the program is at fault at every turn; the next game starts a new process. The
time of its first answer includes its start.

Some programs answer even the message that the game is over. Such lines are dropped before the next
game, or they would be taken for its answers. We cannot know whether a program still wants to write,
so we wait UNASKED_SECONDS after its first game, and after each game that follows one with such a
line; otherwise only until it has read the message and sleeps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contest.games.game import TextProtocol, Words
from sandbox.players import (
    MAX_ANSWER_BYTES,
    AnswerFault,
    ProcessPlayer,
    as_text,
    not_running,
    out_of_step,
    process_fault,
)
from sandbox.process import Answer, AnswerKind, SandboxedProcess
from sandbox.program_folder import ProgramFolder

if TYPE_CHECKING:  # bubblewrap is not needed to talk with a program (knobellib.python_kit)
    from sandbox.sandbox import Sandbox

CPU_SECONDS = 3_600  # of one process, in all its games
UNASKED_SECONDS = 0.2  # after the message that the game is over


@dataclass
class LinesPlayer(ProcessPlayer):
    program: ProgramFolder
    sandbox: Sandbox
    seconds: float  # for each answer
    # it wrote nothing unasked after the last game
    _is_quiet: bool = field(default=False, init=False)
    protocol = TextProtocol.STDIO

    def move(self, question: Words) -> str | AnswerFault:
        if self._lost:
            return self._lost
        if self._process is None:
            self._is_quiet = False
            self._process = self.program.open(
                self.sandbox, cpu_seconds=CPU_SECONDS, answer_bytes=MAX_ANSWER_BYTES
            )
        answer = self._process.ask(" ".join(as_text(question)), self.seconds, self._slept)
        self._note_time(answer)
        return answer.text if answer.kind is AnswerKind.LINE else self._fault(self._process, answer)

    def tell(self, words: Words) -> None:
        if self._process and not self._lost:
            self._process.tell(" ".join(as_text(words)))

    def unasked_lines(self) -> int:
        if self._process is None or self._lost:
            return 0
        lines = self._process.drop_output(UNASKED_SECONDS, is_usually_quiet=self._is_quiet)
        self._is_quiet = lines == 0
        return lines

    def misunderstood(self) -> None:
        self.close()
        self._lost = out_of_step()

    def _fault(self, process: SandboxedProcess, answer: Answer) -> AnswerFault:
        status = process.close()
        self.close()
        self._lost = not_running()
        return process_fault(answer, status)
