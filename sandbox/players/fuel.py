"""FUEL: a program as WebAssembly, for all three protocols. Its time is counted in units of fuel.

A worker in the sandbox runs the program (sandbox/fuel/worker/main.py), one for all its games.
STDIO: one instance lives through many games, and a new one follows after a fault. ARGV and
FUNCTION: each move has a new instance. The program, the questions and the seeds decide every answer
and how much fuel it takes.

A limit in processor time stops a worker that hangs, and a program whose units take much longer than
prices promise: a nanosecond, with SECONDS_AN_ANSWER for each answer, and GRACE_SECONDS for all of a
worker together. Such a program is asked once more, while no other program whose time is counted
runs on the host. That it is late again, or needs this a second time, and a worker that dies, is our
failure (EngineFailed), never the program's.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, NonNegativeInt

from contest.errors import EngineFailed, ToolMissing
from contest.games.game import TextProtocol, Words
from contest.language import gettext, noted, number
from sandbox import living
from sandbox.budget import TooSlow, UsedUp
from sandbox.fuel import engine
from sandbox.fuel.engine import fuel_cache
from sandbox.fuel.program import FuelProgram
from sandbox.limits import MB
from sandbox.players import (
    AnswerFault,
    AnswerFaultKind,
    Player,
    PlayerUsage,
    answer_in,
    as_text,
    crash,
    disturbed,
    function_fault,
    not_running,
    out_of_step,
    printed_nothing,
    read_reply,
    too_long,
)
from sandbox.process import Answer, AnswerKind, SandboxedProcess
from sandbox.sandbox import Sandbox

SECONDS_A_UNIT = 1e-9
"""What a unit may take: as long as the worst operator that misses no cache."""
SECONDS_AN_ANSWER = 0.02
"""What an answer may take besides: an interpreter's pages are copied, which no unit counts."""
GRACE_SECONDS = 20.0
"""Processor time that a worker may take besides: to start, and where a host is slow for a while."""
MAX_SHUT_SECONDS = 10.0
"""So long somebody who wants to be alone on the host keeps all others from asking."""
MAX_TIMES_SHUT = 6
_OPEN_SECONDS = 1.0  # between two such times
_LOOK_SECONDS = 0.02  # between two looks whether a lock is free
Request = Mapping[str, Any]
"""As in worker/main.py."""
_OUT_OF_FUEL = "out of fuel"
_TRAPS = {  # what the worker calls it: a verb phrase for "the program ..."
    "stack overflow": noted("called too many functions within each other (stack overflow)"),
    "memory access": noted("reached outside of its memory"),
    "indirect call": noted("called a function by a wrong pointer"),
    "integer overflow": noted("divided the smallest number by -1"),
    "division by zero": noted("divided by zero"),
    "number conversion": noted("converted a number that is too large for its type"),
    "unreachable": noted("gave up (abort, a panic or a failed assertion)"),
    "no start": noted("ended at once, for it has no main function,"),
}


def _known_trap(which: str) -> str:
    if which not in (*_TRAPS, _OUT_OF_FUEL):
        raise ValueError("an unknown trap")
    return which


_ONE = Field(min_length=1, max_length=1)
_Ended = (
    Annotated[dict[Literal["exit"], int], _ONE]
    | Annotated[dict[Literal["trap"], Annotated[str, AfterValidator(_known_trap)]], _ONE]
    | Annotated[dict[Literal["too long", "reads"], bool], _ONE]
)


class _Reply(BaseModel):
    """A worker's reply (worker/main.py). `returned` is foreign."""

    model_config = ConfigDict(strict=True, frozen=True)
    fuel: NonNegativeInt = 0
    memory: NonNegativeInt = 0
    stderr: str = ""
    ended: _Ended | None = None
    line: str | None = None
    output: str = ""
    returned: str | None = None
    unasked: NonNegativeInt = 0

    @property
    def end(self) -> tuple[str, object]:
        """How the instance ended, "" if it lives; and with which code, or by which trap."""
        return next(iter(self.ended.items())) if self.ended else ("", 0)


def _worth(units: int) -> float:
    """Return the processor time that an answer of so many units may take."""
    return SECONDS_AN_ANSWER + SECONDS_A_UNIT * units


def seconds_until_aside(fuel: int) -> float:
    """Return how much more processor time than its units may take a program takes at most, in one
    player, before it is set aside: one worker among others, and one alone."""
    return 2 * (GRACE_SECONDS + _worth(fuel))


class Turns:
    """Who may ask programs at a time: usually everybody, or one alone, of all processes of this
    user here.

    Everybody goes through the gate into the room. Whoever wants to be alone shuts the gate first,
    so that the room becomes empty. If somebody stays in it, the gate is opened again for a moment:
    nobody waits long for a stranger's answer. Both are locks of files, which end with their
    process; a worker opens them at its first turn.
    """

    @cached_property
    def _files(self) -> tuple[int, int]:
        gate, room = (
            os.open(fuel_cache() / name, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            for name in ("gate", "room")
        )
        return gate, room

    @contextmanager
    def among_others(self) -> Iterator[None]:
        gate, room = self._files
        with _locked(gate, fcntl.LOCK_SH):
            _lock(room, fcntl.LOCK_SH)
        try:
            yield
        finally:
            fcntl.flock(room, fcntl.LOCK_UN)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Raises TimeoutError if the room does not become empty while the gate is shut."""
        gate, room = self._files
        for _ in range(MAX_TIMES_SHUT):
            with _locked(gate, fcntl.LOCK_EX):
                is_empty = _lock(room, fcntl.LOCK_EX, MAX_SHUT_SECONDS)
            if is_empty:
                break
            time.sleep(_OPEN_SECONDS)
        else:
            raise TimeoutError
        try:
            yield
        finally:
            fcntl.flock(room, fcntl.LOCK_UN)

    def close(self) -> None:
        for descriptor in self.__dict__.pop("_files", ()):
            os.close(descriptor)


@contextmanager
def _locked(descriptor: int, how: int) -> Iterator[None]:
    _lock(descriptor, how)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _lock(descriptor: int, how: int, seconds: float = math.inf) -> bool:
    """Take the lock as soon as it is free; whether it was within `seconds`. Raises Stopped."""
    end = time.monotonic() + seconds
    while True:
        living.require_going_on()
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
            return True
        if time.monotonic() > end:
            return False
        time.sleep(_LOOK_SECONDS)


@dataclass
class FuelPlayer(Player):
    program: FuelProgram
    sandbox: Sandbox
    protocol: TextProtocol
    fuel: int  # for each answer
    game_fuel: int  # for all answers of a game together
    _process: SandboxedProcess | None = field(default=None, init=False)
    _seed: bytes = field(default=b"", init=False)  # of this game
    _is_open: bool = field(default=False, init=False)  # an instance lives (STDIO)
    # why it is not asked in this game any more
    _lost: AnswerFault | None = field(default=None, init=False)
    _answer_fuel: list[int] = field(default_factory=list, init=False)
    _used: int = field(default=0, init=False)  # in this game
    _memory: int = field(default=0, init=False)
    _stderr: str = field(default="", init=False)
    _unasked: int = field(default=0, init=False)
    # of this worker: what its answers may have taken, and what they have taken, or more
    _worker_worth: float = field(default=0.0, init=False)
    _worker_seconds: float = field(default=0.0, init=False)
    _was_alone: bool = field(default=False, init=False)  # because it was too slow among others
    _turns: Turns = field(default_factory=Turns, init=False)
    # what made the instance what it is
    _said: list[Request] = field(default_factory=list, init=False)

    def begin(self, seed: bytes = b"") -> None:
        self._seed, self._lost, self._unasked = seed, None, 0
        self._answer_fuel, self._used, self._memory = [], 0, 0

    def move(self, question: Words) -> str | AnswerFault:
        if self._lost:
            return self._lost
        fuel = min(self.fuel, self.game_fuel - self._used)
        if fuel <= 0:
            return self._out_of_fuel()
        if self.protocol is TextProtocol.STDIO:
            return self._answer_line(" ".join(as_text(question)), fuel)
        if self.protocol is TextProtocol.ARGV:
            reply = self._ask({"run": as_text(question), "seed": self._move_seed(), "fuel": fuel})
            return self._output(reply)
        reply = self._ask({"call": question, "seed": self._move_seed(), "fuel": fuel})
        return self._result(reply)

    def tell(self, words: Words) -> None:
        if self._is_open:
            reply = self._exchange({"tell": " ".join(as_text(words)), "fuel": self.fuel})
            self._unasked = reply.unasked
            self._is_open = not reply.ended

    def unasked_lines(self) -> int:
        return self._unasked

    def usage(self) -> PlayerUsage:
        return PlayerUsage(
            answer_fuel=self._answer_fuel,
            peak_memory_bytes=self._memory,
            memory_limit_bytes=self.program.memory_bytes,
        )

    def stderr_tail(self) -> str:
        return self._stderr

    def misunderstood(self) -> None:
        """The worker drops the instance at the next request."""
        if self._is_open:
            self._is_open, self._lost = False, out_of_step()

    def close(self) -> None:
        if self._process:
            self._process.close()
        self._process, self._is_open = None, False
        self._turns.close()

    # --- protocols --------------------------------------------------------------------------------
    def _answer_line(self, line: str, fuel: int) -> str | AnswerFault:
        if not self._is_open:
            self._exchange({"open": True, "seed": self._move_seed()})
            self._is_open = True
        reply = self._ask({"ask": line, "fuel": fuel})
        self._is_open = not reply.ended
        if reply.line is not None:
            return reply.line.strip()
        self._lost = not_running()
        return self._fault(reply)

    def _output(self, reply: _Reply) -> str | AnswerFault:
        """Return what a program printed. Its exit code does not matter then: see
        ArgumentsPlayer."""
        if reply.end[0] == "exit" and (output := reply.output.strip()):
            return output
        return printed_nothing(self._stderr) if reply.end == ("exit", 0) else self._fault(reply)

    def _result(self, reply: _Reply) -> str | AnswerFault:
        """Return what a function returned, or what a program says that it did."""
        if reply.returned is None:
            return self._fault(reply)
        said = read_reply(reply.returned)
        if said is None:
            return disturbed()
        if "answer" in said:
            return answer_in(said)
        return function_fault("get_move", said) or disturbed()

    # --- faults -----------------------------------------------------------------------------------
    def _fault(self, reply: _Reply) -> AnswerFault:
        """Return what ended it instead of an answer."""
        how, which = reply.end
        if which == _OUT_OF_FUEL:
            return self._out_of_fuel()
        if how == "too long":
            return too_long(self._stderr)
        if how == "reads":
            sentence = gettext("the program asked for another line instead of answering")
            return AnswerFault(AnswerFaultKind.NO_ANSWER, sentence, self._stderr)
        if how == "trap":
            return crash(gettext(_TRAPS[str(which)]), self._stderr)
        return crash(gettext("ended with exit code %(code)s", code=which), self._stderr)

    def _out_of_fuel(self) -> AnswerFault:
        if self._used >= self.game_fuel:
            sentence = gettext(
                "the answers of the game took %(used)s units; together they may take %(limit)s",
                used=number(self._used),
                limit=number(self.game_fuel),
            )
        else:
            sentence = gettext("the answer took more than %(limit)s units", limit=number(self.fuel))
        return AnswerFault(AnswerFaultKind.LATE, sentence, self._stderr)

    # --- the worker -------------------------------------------------------------------------------
    def _move_seed(self) -> str:
        return hashlib.sha256(self._seed + len(self._answer_fuel).to_bytes(8, "big")).hexdigest()

    def _ask(self, request: Request) -> _Reply:
        """Return a question; its fuel and memory count."""
        reply = self._exchange(request)
        self._answer_fuel.append(reply.fuel)
        self._used += reply.fuel
        self._memory = max(self._memory, reply.memory)
        return reply

    def _exchange(self, request: Request) -> _Reply:
        if not self._is_open:
            self._said = []
        self._said.append(request)
        answer = self._answer(request, self._turns.among_others)
        if answer.kind is AnswerKind.LATE:
            answer = self._answer_alone(pace=self._pace(answer, request))
        reply = self._reply(answer)
        self._stderr = reply.stderr.strip()
        return reply

    def _answer(self, request: Request, turn: Callable[[], AbstractContextManager[None]]) -> Answer:
        """Raises UsedUp, or TooSlow if its own units are why nothing is left of a budget."""
        worker = self._worker()
        try:
            with turn():
                return worker.ask(json.dumps(request), self._seconds_for(request))
        except UsedUp:
            seconds = (worker.usage().cpu_seconds or 0.0) - self._worker_seconds
            if seconds > _worth(request.get("fuel", 0)):
                raise TooSlow from None
            raise

    def _reply(self, answer: Answer) -> _Reply:
        """Return what the worker replied; it has used what this took."""
        if answer.kind is not AnswerKind.LINE:
            status = self._worker().close()
            tail = status.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise self._failed(f"{status.description}: {tail}")
        try:
            reply = _Reply.model_validate_json(answer.text)
        except ValueError as error:
            raise self._failed(f"replied nonsense: {error}") from None
        self._worker_worth += _worth(reply.fuel)
        self._worker_seconds += answer.seconds  # by the clock: to look each time would take long
        if self._worker_seconds > self._worker_worth + GRACE_SECONDS / 2:
            self._worker_seconds = self._worker().usage().cpu_seconds or self._worker_seconds
        return reply

    def _seconds_for(self, request: Request) -> float:
        """Return the processor time that this worker may take for the answer."""
        worth = self._worker_worth + _worth(request.get("fuel", 0))
        return worth + GRACE_SECONDS - self._worker_seconds

    def _pace(self, late: Answer, request: Request) -> float:
        """Return how many nanoseconds a unit has taken at least, if that is why it was late; else
        0."""
        if late.seconds < self._seconds_for(request) or "fuel" not in request:
            return 0.0
        worth = self._worker_worth + _worth(request["fuel"])
        return (self._worker_seconds + late.seconds) / worth

    def _worker(self) -> SandboxedProcess:
        if self._process is None:
            self._process = self.program.start(self.sandbox)
            self._worker_worth = self._worker_seconds = 0.0
        return self._process

    def _answer_alone(self, pace: float) -> Answer:
        """Ask a new worker, which first hears all that this instance has heard, and so is in the
        same state. `pace`: at least, among others."""
        self.close()
        if pace and self._was_alone:
            raise self._failed(
                f"was too slow a second time, with more than {pace:,.1f} ns a unit", pace
            )
        self._was_alone |= bool(pace)
        *before, last = self._said
        for request in before:
            answer = self._answer(request, self._turns.among_others)
            if answer.kind is AnswerKind.LATE:
                raise self._failed("was late, and did not repeat what it replied before")
            self._reply(answer)
        try:
            answer = self._answer(last, self._turns.alone)
        except TimeoutError:
            raise self._failed("was late, and could not be asked alone on this host") from None
        if answer.kind is not AnswerKind.LATE:
            return answer
        seconds, pace = answer.seconds, self._pace(answer, last)
        if not pace:
            raise self._failed(f"was late, also alone, after {seconds:.2f} s of processor time")
        raise self._failed(
            f"had no reply after {seconds:.1f} s of processor time, also alone: more than"
            f" {pace:,.1f} ns a unit",
            pace,
        )

    def _failed(self, what: str, pace: float = 0.0) -> EngineFailed:
        """End the worker; it is our failure."""
        self.close()
        return EngineFailed(
            f"the worker of {self.program.program} ({self.program.digest[:12]}) {what}",
            program=self.program.digest,
            move=self._move_seed(),
            pace=pace,
        )


_NOTHING = bytes.fromhex(  # (module (memory (export "memory") 1) (func (export "_start")))
    "0061736d01000000010401600000030201000503010001071302066d656d6f72790200065f737461727400000a040102000b"
)


def is_engine_well(sandbox: Sandbox) -> bool:
    """Return whether a program that does nothing runs here: if not, no failure is that of another
    program."""
    try:
        module = engine.counted_module(_NOTHING, sandbox, MB)
        program = FuelProgram("C", "nothing.c", {}, MB, module=module)
        with closing(
            FuelPlayer(program, sandbox, TextProtocol.ARGV, 1_000_000, 1_000_000)
        ) as player:
            answer = player.move(())
    except (EngineFailed, ToolMissing, engine.NotCompiled):
        return False
    return isinstance(answer, AnswerFault) and answer.kind is AnswerFaultKind.NO_ANSWER
