"""ARGUMENTS: the program is started for each move, with words as its arguments, and prints its
move.

Every move has a sandbox of its own, so nothing is kept from one move to the next. Its time includes
its start. We ignore the exit code of a program that has printed something, because C of 1989 leaves
the exit code of a main without `return` to chance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contest.games.game import TextProtocol, Words
from sandbox.players import (
    MAX_ANSWER_BYTES,
    AnswerFault,
    ProcessPlayer,
    as_text,
    decoded,
    printed_nothing,
    process_fault,
)
from sandbox.process import STDERR_TAIL_BYTES, Answer, AnswerKind, ExitStatus
from sandbox.running import Ending

if TYPE_CHECKING:  # bubblewrap is not needed to talk with a program (knobellib.python_kit)
    from sandbox.images.oci_image import OciImage
    from sandbox.program_folder import ProgramFolder
    from sandbox.sandbox import Sandbox


@dataclass
class ArgumentsPlayer(ProcessPlayer):
    program: ProgramFolder | OciImage
    sandbox: Sandbox
    seconds: float  # for each move
    protocol = TextProtocol.ARGV

    def move(self, question: Words) -> str | AnswerFault:
        cpu_seconds = math.ceil(self.seconds) + 1
        with self.program.open(
            self.sandbox, as_text(question), cpu_seconds=cpu_seconds, answer_bytes=MAX_ANSWER_BYTES
        ) as process:
            answer = process.finish(self.seconds, self._slept)
            status = process.close()
            self._stderr = (self._stderr + status.stderr)[-STDERR_TAIL_BYTES:]
            self._note_time(answer)
            self._memory = self._memory.with_memory(status.usage)
            return _move(answer, status)


def _move(answer: Answer, status: ExitStatus) -> str | AnswerFault:
    if answer.kind is AnswerKind.ENDED and status.ending is Ending.EXIT:
        if answer.text:
            return answer.text
        if status.code == 0:
            return printed_nothing(decoded(status.stderr))
    return process_fault(answer, status)
