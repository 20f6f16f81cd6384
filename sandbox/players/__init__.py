"""Players: programs of any language that are asked for their moves, one module per protocol.

    lines.py      one process plays many games; after a crash or timeout the next game starts a new
    one arguments.py  a new process in a new sandbox for every move
    function.py   a Python function, in a new process in one sandbox for every move
    table.py      a Python function, tabulated once before the contest
    fuel.py       the first three for programs whose time is counted: they run as WebAssembly

A program's mistakes come back as an AnswerFault and are never raised. ToolMissing means that there
is no sandbox.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from contest.games.game import TextProtocol, Words
from contest.language import gettext, number
from sandbox.limits import Usage
from sandbox.process import Answer, AnswerKind, ExitStatus, SandboxedProcess

MAX_ANSWER_BYTES = 4_096
MAX_MESSAGE_CHARS, MAX_TRACE_CHARS = 200, 4_000  # of an error, as in driver.py
MAX_REPLY_BYTES = 65_536  # of driver.py: such an error has at most 12 bytes for a character


class AnswerFaultKind(StrEnum):
    """What was wrong with a move. The rules find what is unreadable or forbidden, players the
    others."""

    LATE = "late"
    CRASH = "crash"
    NO_ANSWER = "no answer"
    TOO_LONG = "too long"
    UNREADABLE = "unreadable"
    FORBIDDEN = "forbidden"
    ASIDE = "aside"  # the program was not asked: our engine fails with it (executable.py)


@dataclass(frozen=True)
class AnswerFault:
    """What was wrong with one answer; the referee makes a `contest.model.Fault` of it.

    `sentence` tells it to the program's team, in the language of that moment, and may quote the
    program.
    `stderr_tail`: 4 kB. Both are foreign text: sanitize them before you show them.
    """

    kind: AnswerFaultKind
    sentence: str
    stderr_tail: str = ""


class PlayerUsage(NamedTuple):
    """What a program used in a game, all its processes together.

    `answer_seconds`: for each answer; processor time, or time by the clock where nobody counts the
    other. `answer_fuel` instead, in units, where time is counted.
    Memory is 0 if nobody counted; the peak of a program that plays many games is that until then.
    """

    answer_seconds: Sequence[float] = ()
    peak_memory_bytes: int = 0
    memory_limit_bytes: int = 0
    answer_fuel: Sequence[int] = ()

    def with_memory(self, usage: Usage) -> PlayerUsage:
        """This, with what a process of it used."""
        if usage.peak_memory_bytes is None:
            return self
        peak = max(self.peak_memory_bytes, usage.peak_memory_bytes)
        return self._replace(peak_memory_bytes=peak, memory_limit_bytes=usage.memory_limit_bytes)


class Player(ABC):
    """A program at a seat. The thread that made its first move closes it.

    By default nothing of it lives between two moves.
    """

    protocol: TextProtocol

    def begin(self, seed: bytes = b"") -> None:  # noqa: B027
        """A new game begins. `seed`: for the random numbers of a program whose time is counted."""

    @abstractmethod
    def move(self, question: Words) -> str | AnswerFault:
        """Its answer to the question, without blanks at its ends."""

    def tell(self, words: Words) -> None:  # noqa: B027
        """Send a message that needs no answer (the game is over)."""

    def unasked_lines(self) -> int:
        """After a game: drop what it wrote without a question, and return how many lines that
        was."""
        return 0

    def usage(self) -> PlayerUsage:
        """Return what it used since `begin`."""
        return PlayerUsage()

    def stderr_tail(self) -> str:
        """Return the end of its standard error so far, 4 kB; foreign text."""
        return ""

    def misunderstood(self) -> None:  # noqa: B027
        """Note that its last answer made no sense, so it may be out of step."""

    def close(self) -> None:  # noqa: B027
        """End it; no process of it is left."""


@dataclass
class ProcessPlayer(Player):
    """A player with a sandboxed process, or one after the other, whose answers are timed."""

    _process: SandboxedProcess | None = field(default=None, init=False)
    _stderr: bytes = field(default=b"", init=False)  # of processes that have ended
    # why it is not asked in this game any more
    _lost: AnswerFault | None = field(default=None, init=False)
    _answer_seconds: list[float] = field(default_factory=list, init=False)
    _slept: float = field(default=0.0, init=False)  # seconds, in this game
    _memory: PlayerUsage = field(default=PlayerUsage(), init=False)  # of processes that have ended

    def begin(self, seed: bytes = b"") -> None:
        self._lost, self._slept = None, 0.0
        self._answer_seconds, self._memory = [], PlayerUsage()

    def usage(self) -> PlayerUsage:
        memory = self._memory.with_memory(self._process.usage()) if self._process else self._memory
        return memory._replace(answer_seconds=self._answer_seconds)

    def _note_time(self, answer: Answer) -> None:
        self._answer_seconds.append(answer.seconds)
        self._slept += answer.slept

    def stderr_tail(self) -> str:
        return decoded(self._process.stderr_tail() if self._process else self._stderr)

    def close(self) -> None:
        if self._process:
            status = self._process.close()
            self._stderr = status.stderr
            self._memory = self._memory.with_memory(status.usage)
        self._process = None


def as_text(question: Words) -> list[str]:
    """Return the question's words as the program reads them."""
    return [str(word) for word in question]


def process_fault(answer: Answer, status: ExitStatus) -> AnswerFault:
    """Return what was wrong where a process ended without an answer, or was ended for it."""
    stderr_tail = decoded(status.stderr)
    if answer.kind is AnswerKind.LATE:
        return AnswerFault(AnswerFaultKind.LATE, answer.text, stderr_tail)
    if answer.kind is AnswerKind.TOO_LONG:
        return too_long(stderr_tail)
    return crash(status.description, stderr_tail)


def too_long(stderr_tail: str) -> AnswerFault:
    sentence = gettext("the answer has more than %(bytes)s bytes", bytes=number(MAX_ANSWER_BYTES))
    return AnswerFault(AnswerFaultKind.TOO_LONG, sentence, stderr_tail)


def crash(ended: str, stderr_tail: str) -> AnswerFault:
    """`ended`: a verb phrase for "the program ..."."""
    sentence = gettext("the program %(ended)s instead of answering", ended=ended)
    return AnswerFault(AnswerFaultKind.CRASH, sentence, stderr_tail)


def printed_nothing(stderr_tail: str) -> AnswerFault:
    sentence = gettext("the program ended without printing anything")
    return AnswerFault(AnswerFaultKind.NO_ANSWER, sentence, stderr_tail)


def out_of_step() -> AnswerFault:
    """Return the fault of a program that lives through many games, for the rest of this one."""
    sentence = gettext("the program was ended, because its last answer made no sense")
    return AnswerFault(AnswerFaultKind.CRASH, sentence)


def not_running() -> AnswerFault:
    """Return the fault of a program that lives through many games, after a fault that ended it."""
    sentence = gettext("the program does not run any more, because of what was before")
    return AnswerFault(AnswerFaultKind.CRASH, sentence)


Reply = Mapping[str, Any]  # JSON from the sandbox, with keys and types as in _OF_DRIVER
_OF_DRIVER = {
    "answer": str,
    "constant": str,
    "lacks": str,
    "raised": str,
    "table": list,
    "trace": str,
    "wrong": str,
}


def read_reply(line: str) -> Reply | None:
    """Return what driver.py replied; None if it cannot have written this, or UTF-8 cannot encode
    it."""
    try:
        reply = json.loads(line)
        json.dumps(reply, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    is_known = isinstance(reply, dict) and all(
        isinstance(value, _OF_DRIVER.get(key, ())) for key, value in reply.items()
    )
    return reply if is_known else None


def answer_in(reply: Reply) -> str | AnswerFault:
    """Return the function's answer, where nothing was wrong with the call."""
    if "answer" not in reply:
        return disturbed()
    answer = str(reply["answer"])
    return too_long("") if len(answer) > MAX_ANSWER_BYTES else answer


def disturbed() -> AnswerFault:
    """Return a reply that driver.py does not give: the program replied in its place."""
    sentence = gettext("the program disturbed the calling of its function")
    return AnswerFault(AnswerFaultKind.UNREADABLE, sentence)


def function_fault(function: str, reply: Mapping[str, Any]) -> AnswerFault | None:
    """Return what was wrong with a call, by the reply of driver.py; None if nothing was."""
    if "raised" in reply:
        sentence = f"{function}: {reply['raised'][:MAX_MESSAGE_CHARS]}"
        return AnswerFault(
            AnswerFaultKind.CRASH, sentence, reply.get("trace", "")[-MAX_TRACE_CHARS:]
        )
    if "wrong" in reply:
        value = reply["wrong"][:MAX_MESSAGE_CHARS]
        sentence = gettext("%(function)s gave %(value)s", function=function, value=value)
        return AnswerFault(AnswerFaultKind.UNREADABLE, sentence)
    return None


def decoded(stderr: bytes) -> str:
    return stderr.decode(errors="replace").strip()
