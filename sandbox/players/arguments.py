"""ARGUMENTS: started for each move with words as arguments; what it prints is the move (U6, C4, M11).

Nothing is kept from one move to the next: every move has a box of its own. Its time includes its start. The
exit code of a program that has printed something says nothing: C of 1989 leaves it to chance.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from contest.games.base import TextProtocol, Words
from sandbox.players import ANSWER_BYTES, Fault, FaultKind, crash, late, said, spoken, too_long, words
from sandbox.process import STDERR_TAIL, Answer, Ended, Kind
from sandbox.program_folder import Executable
from sandbox.sandbox import Ending, Sandbox


@dataclass
class ArgumentsPlayer:
    program: Executable
    sandbox: Sandbox
    seconds: float  # for each move
    _said: deque[int] = field(default_factory=lambda: deque(maxlen=STDERR_TAIL), init=False)  # in all moves

    @property
    def protocol(self) -> TextProtocol:
        return TextProtocol.ARGV

    def begin(self) -> None:
        """Every move begins anew."""

    def move(self, question: Words) -> str | Fault:
        cpu_seconds = math.ceil(self.seconds) + 1
        with self.program.open(
            self.sandbox, spoken(question), cpu_seconds=cpu_seconds, answer_bytes=ANSWER_BYTES
        ) as prisoner:
            answer = prisoner.finish(self.program.start_seconds + self.seconds)
            ended = prisoner.close()
            self._said.extend(ended.stderr)
            return _move(answer, ended, self.seconds)

    def tell(self, words: Words) -> None:
        """Nobody is there who could be told."""

    def said(self) -> str:
        return words(bytes(self._said))

    def misunderstood(self) -> None:
        """It keeps no step."""

    def close(self) -> None:
        """Nothing runs between two moves."""


def _move(answer: Answer, ended: Ended, seconds: float) -> str | Fault:
    if answer.kind is Kind.LATE:
        return late(seconds, ended)
    if answer.kind is Kind.TOO_LONG:
        return too_long(ended)
    if ended.ending is Ending.EXIT and answer.text:
        return answer.text
    if ended.ending is Ending.EXIT and ended.code == 0:
        return Fault(FaultKind.NO_ANSWER, "the program ended without printing anything", said(ended))
    return crash(ended)
