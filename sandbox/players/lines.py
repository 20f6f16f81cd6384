"""LINES: one process through many games; a line in, a line out (B8, B13).

A process that crashed, was late or is out of step knows nothing of the running game any more: for the rest of
it the program is at fault at every turn, and with the next game it is started again. Its first answer's time
includes its start.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from contest.games.base import TextProtocol, Words
from sandbox.players import ANSWER_BYTES, Fault, FaultKind, crash, late, spoken, too_long, words
from sandbox.process import Answer, Kind, SandboxedProcess
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox

CPU_SECONDS = 3_600  # of a process, through all its games


@dataclass
class LinesPlayer:
    bundle: ProgramFolder
    sandbox: Sandbox
    seconds: float  # for each answer
    _prisoner: SandboxedProcess | None = field(default=None, init=False)
    _said: bytes = field(default=b"", init=False)  # by the process before
    _lost: Fault | None = field(default=None, init=False)  # why it does not answer for the rest of this game

    @property
    def protocol(self) -> TextProtocol:
        return TextProtocol.STDIO

    def begin(self) -> None:
        self._lost = None

    def move(self, question: Words) -> str | Fault:
        if self._lost:
            return self._lost
        answer = self._running().ask(" ".join(spoken(question)), self.seconds)
        return answer.text if answer.kind is Kind.LINE else self._fault(answer)

    def tell(self, words: Words) -> None:
        if self._prisoner and not self._lost:
            self._prisoner.tell(" ".join(spoken(words)))

    def said(self) -> str:
        return words(self._prisoner.said() if self._prisoner else self._said)

    def misunderstood(self) -> None:
        self._end(Fault(FaultKind.CRASH, "the program was ended, because its last answer made no sense"))

    def close(self) -> None:
        if self._prisoner:
            self._said = self._prisoner.close().stderr
        self._prisoner = None

    def _running(self) -> SandboxedProcess:
        if self._prisoner is None:
            self._prisoner = self.bundle.open(
                self.sandbox, cpu_seconds=CPU_SECONDS, answer_bytes=ANSWER_BYTES
            )
        return self._prisoner

    def _fault(self, answer: Answer) -> Fault:
        ended = self._running().close()
        if answer.kind is Kind.LATE:
            fault = late(self.seconds, ended)
        else:
            fault = too_long(ended) if answer.kind is Kind.TOO_LONG else crash(ended)
        self._end(Fault(FaultKind.CRASH, "the program does not run any more, because of what was before"))
        return fault

    def _end(self, for_the_rest: Fault) -> None:
        self.close()
        self._lost = for_the_rest
