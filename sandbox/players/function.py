"""FUNCTION: a Python function, called for each move (U6). Its result must be an int, and True is none.

The team's file is imported in the jail, by our driver; what the file prints is not taken for an answer. The
import has a time of its own, so that a move's time is that of the call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from contest.games.base import TextProtocol, Words
from sandbox.players import ANSWER_BYTES, Fault, FaultKind, crash, late, too_long, words
from sandbox.process import Answer, Kind, SandboxedProcess
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox

LANGUAGE = "Python"
IMPORT_SECONDS = 10.0
CPU_SECONDS = 3_600  # of a process, through all its games

_DRIVER = "/box/driver.py"
_NOT_ONE_OF_OURS = "the program disturbed the calling of its function"

Reply = Mapping[str, Any]


class PythonFunction:
    """A function of a team's file, in a process of its own. `not_imported`: why it is not there."""

    def __init__(
        self,
        bundle: ProgramFolder,
        name: str,
        sandbox: Sandbox,
        *,
        cpu_seconds: int = CPU_SECONDS,
        answer_bytes: int = ANSWER_BYTES,
    ) -> None:
        if bundle.language != LANGUAGE:
            raise ValueError(f"a function can be called in {LANGUAGE} only, not in {bundle.language}")
        driver = files("sandbox.players").joinpath("driver.py").read_bytes()
        self._name = name
        self._fault: Fault | None = None
        self._prisoner: SandboxedProcess = bundle.open(
            sandbox,
            command=_driven(bundle.command),
            files={_DRIVER: driver},
            cpu_seconds=cpu_seconds,
            answer_bytes=answer_bytes,
        )
        imported = self.ask({"import": [bundle.program, name]}, IMPORT_SECONDS)
        self.not_imported = imported if isinstance(imported, Fault) else None

    @property
    def usable(self) -> bool:
        return self.not_imported is None and self._fault is None

    def ask(self, request: Mapping[str, object], seconds: float) -> Reply | Fault:
        """The driver's reply, or what was wrong with the function."""
        answer = self._prisoner.ask(json.dumps(request), seconds)
        if answer.kind is not Kind.LINE:
            self._fault = self._lost(answer, seconds)
            return self._fault
        return self._judged(answer.text)

    def said(self) -> bytes:
        """The end of its standard error so far."""
        return self._prisoner.said()

    def close(self) -> None:
        self._prisoner.close()

    def _lost(self, answer: Answer, seconds: float) -> Fault:
        ended = self._prisoner.close()
        if answer.kind is Kind.LATE:
            return late(seconds, ended)
        return too_long(ended) if answer.kind is Kind.TOO_LONG else crash(ended)

    def _judged(self, line: str) -> Reply | Fault:
        reply = _read(line)
        if "raised" in reply:
            sentence = f"{self._name}: {reply['raised']}"
            return Fault(FaultKind.CRASH, sentence, str(reply.get("trace", "")))
        if "wrong" in reply:
            return Fault(FaultKind.UNREADABLE, f"{self._name} gave {reply['wrong']}")
        return reply


def _driven(command: Sequence[str]) -> list[str]:
    """The interpreter with its options, and the driver in the program's place."""
    return [*command[:-1], _DRIVER]


def _read(line: str) -> Reply:
    """What the driver wrote, if it was the driver; and only what can be written down again."""
    try:
        reply = json.loads(line)
        json.dumps(reply, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        reply = None
    return reply if isinstance(reply, dict) else {"wrong": _NOT_ONE_OF_OURS}


@dataclass
class FunctionPlayer:
    """A process that was lost is started again for the next move; a file that cannot be imported is not
    tried again in the same game."""

    bundle: ProgramFolder
    sandbox: Sandbox
    seconds: float  # for each call
    function: str = "get_move"
    _process: PythonFunction | None = field(default=None, init=False)
    _said: bytes = field(default=b"", init=False)  # by the process before
    _lost: Fault | None = field(default=None, init=False)  # why nothing is asked for the rest of this game

    @property
    def protocol(self) -> TextProtocol:
        return TextProtocol.FUNCTION

    def begin(self) -> None:
        self._lost = None

    def move(self, question: Words) -> str | Fault:
        reply = self._lost or self._ask({"call": question})
        if isinstance(reply, Fault):
            return reply
        answer = reply.get("answer")
        return answer if isinstance(answer, str) else Fault(FaultKind.UNREADABLE, _NOT_ONE_OF_OURS)

    def tell(self, words: Words) -> None:
        """A function is not told what it is not asked for."""

    def said(self) -> str:
        return words(self._process.said() if self._process else self._said)

    def misunderstood(self) -> None:
        """Calls keep no step."""

    def close(self) -> None:
        if self._process:
            self._said = self._process.said()
            self._process.close()
        self._process = None

    def _ask(self, request: Mapping[str, object]) -> Reply | Fault:
        if self._process and not self._process.usable:
            self.close()
        if self._process is None:
            self._process = PythonFunction(self.bundle, self.function, self.sandbox)
            self._lost = self._process.not_imported
        return self._lost or self._process.ask(request, self.seconds)
