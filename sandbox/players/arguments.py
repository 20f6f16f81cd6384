"""ARGUMENTS: the program is started for each move, with words as its arguments, and prints its move.

Every move has a sandbox of its own, so nothing is kept from one move to the next. Its time includes its
start. We ignore the exit code of a program that has printed something, because C of 1989 leaves the exit code
of a main without `return` to chance.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contest.games.base import TextProtocol, Words
from sandbox.players import (
    MAX_ANSWER_BYTES,
    AnswerFault,
    PlayerUsage,
    as_text,
    crash,
    decoded,
    late,
    printed_nothing,
    too_long,
)
from sandbox.process import STDERR_TAIL_BYTES, Answer, AnswerKind, ExitStatus
from sandbox.program_folder import Startable
from sandbox.running import Ending

if TYPE_CHECKING:  # bubblewrap is not needed to talk with a program (knobellib.python_kit)
    from sandbox.sandbox import Sandbox


@dataclass
class ArgumentsPlayer:
    program: Startable
    sandbox: Sandbox
    seconds: float  # for each move
    _stderr: deque[int] = field(  # of all moves together
        default_factory=lambda: deque(maxlen=STDERR_TAIL_BYTES), init=False
    )
    _answer_seconds: list[float] = field(default_factory=list, init=False)
    _memory: PlayerUsage = field(default=PlayerUsage(), init=False)  # of processes that have ended

    @property
    def protocol(self) -> TextProtocol:
        return TextProtocol.ARGV

    def begin(self, seed: bytes = b"") -> None:
        self._answer_seconds, self._memory = [], PlayerUsage()

    def move(self, question: Words) -> str | AnswerFault:
        cpu_seconds = math.ceil(self.seconds) + 1
        with self.program.open(
            self.sandbox, as_text(question), cpu_seconds=cpu_seconds, answer_bytes=MAX_ANSWER_BYTES
        ) as process:
            answer = process.finish(self.program.start_seconds + self.seconds)
            status = process.close()
            self._stderr.extend(status.stderr)
            self._answer_seconds.append(answer.seconds)
            self._memory = self._memory.with_memory(status.usage)
            return _move(answer, status)

    def tell(self, words: Words) -> None:
        """Nothing to do: there is no process."""

    def unasked_lines(self) -> int:
        """None: all that a process writes is its answer."""
        return 0

    def usage(self) -> PlayerUsage:
        return self._memory._replace(answer_seconds=self._answer_seconds)

    def stderr_tail(self) -> str:
        return decoded(bytes(self._stderr))

    def misunderstood(self) -> None:
        """Nothing to do: every move has a new process, which cannot be out of step."""

    def close(self) -> None:
        """Nothing to do: no process runs between two moves."""


def _move(answer: Answer, status: ExitStatus) -> str | AnswerFault:
    if answer.kind is AnswerKind.LATE:
        return late(answer, status)
    if answer.kind is AnswerKind.TOO_LONG:
        return too_long(decoded(status.stderr))
    if status.ending is Ending.EXIT and answer.text:
        return answer.text
    if status.ending is Ending.EXIT and status.code == 0:
        return printed_nothing(decoded(status.stderr))
    return crash(status.description, decoded(status.stderr))
