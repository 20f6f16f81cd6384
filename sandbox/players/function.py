"""FUNCTION: a Python function, called for each move. It must return an int; True and False are
refused.

Our driver is in the sandbox and forks a child for each call, which imports the team's file: nothing
is kept from one call to the next, as in the other languages, and a call's time includes the import.
Output of the file is not taken for an answer. Before its first call the file is imported once to
see whether it can be; this import has a time limit of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import TYPE_CHECKING

from contest.games.game import TextProtocol, Words
from sandbox.players import (
    MAX_REPLY_BYTES,
    AnswerFault,
    ProcessPlayer,
    Reply,
    answer_in,
    disturbed,
    function_fault,
    process_fault,
    read_reply,
)
from sandbox.process import Answer, AnswerKind
from sandbox.program_folder import ProgramFolder

if TYPE_CHECKING:  # bubblewrap is not needed to talk with a program (knobellib.python_kit)
    from sandbox.sandbox import Sandbox

LANGUAGE = "Python"
NAME = "get_move"
IMPORT_SECONDS = 10.0
CPU_SECONDS = 3_600  # of the driver in all games, and of each call

_DRIVER = "/box/driver.py"


class PythonFunction:
    """A function in a team's file; each request starts afresh. `import_fault`: why it cannot be
    called."""

    def __init__(
        self,
        program: ProgramFolder,
        name: str,
        sandbox: Sandbox,
        *,
        cpu_seconds: int = CPU_SECONDS,
        import_seconds: float = IMPORT_SECONDS,
        answer_bytes: int = MAX_REPLY_BYTES,
        slept_before: float = 0.0,
    ) -> None:
        if program.language != LANGUAGE:
            raise ValueError(
                f"a function can be called in {LANGUAGE} only, not in {program.language}"
            )
        driver = files("sandbox.players").joinpath("driver.py").read_bytes()
        self._name = name
        self._fault: AnswerFault | None = None
        self.last_answer = Answer(AnswerKind.LATE)
        interpreter = program.command[:-1]  # with its options
        words = (
            program.program,
            name,
            str(answer_bytes),
            "sandbox" if sandbox.has_process_tree else "home",
        )
        needs = replace(program.needs, processes=program.needs.processes + 1)  # the driver is one
        self.process = replace(program, needs=needs).open(
            sandbox,
            command=[*interpreter, _DRIVER, *words],
            files={_DRIVER: driver},
            has_terminals=True,
            cpu_seconds=cpu_seconds,
            answer_bytes=answer_bytes,
        )
        imported = self.ask({"import": True}, import_seconds, slept_before)
        self.import_fault = imported if isinstance(imported, AnswerFault) else None

    @property
    def usable(self) -> bool:
        return self.import_fault is None and self._fault is None

    def ask(
        self, request: Mapping[str, object], seconds: float, slept_before: float = 0.0
    ) -> Reply | AnswerFault:
        """Send a request of driver.py; return the driver's reply, or what was wrong with the
        function."""
        answer = self.last_answer = self.process.ask(json.dumps(request), seconds, slept_before)
        if answer.kind is not AnswerKind.LINE:
            self._fault = process_fault(answer, self.process.close())
            return self._fault
        reply = read_reply(answer.text)
        if reply is None:
            return disturbed()
        return function_fault(self._name, reply) or reply

    def close(self) -> None:
        self.process.close()


@dataclass
class FunctionPlayer(ProcessPlayer):
    """If the process is lost, the next move starts a new one. If the file cannot be imported, the
    rest of the game is lost without another try."""

    program: ProgramFolder
    sandbox: Sandbox
    seconds: float  # for each call, with the import
    _called: PythonFunction | None = field(default=None, init=False)
    protocol = TextProtocol.FUNCTION

    def move(self, question: Words) -> str | AnswerFault:
        reply = self._lost or self._call(question)
        if isinstance(reply, AnswerFault):
            return reply
        return answer_in(reply)

    def _call(self, question: Words) -> Reply | AnswerFault:
        if self._called and not self._called.usable:
            self.close()
        if self._process is None or self._called is None:
            self._called = PythonFunction(
                self.program, NAME, self.sandbox, slept_before=self._slept
            )
            self._slept += self._called.last_answer.slept
            self._process, self._lost = self._called.process, self._called.import_fault
        if self._lost:
            return self._lost
        reply = self._called.ask({"call": question}, self.seconds, self._slept)
        self._note_time(self._called.last_answer)
        return reply
