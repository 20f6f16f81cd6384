"""What one instance of a program sees of the world: its input and output, files, clock and random
numbers.

The modules beside this one translate the host functions of a kind of program into calls of `Host`.
All of it depends on the program, the requests and the seed alone, and so does the fuel.
"""

from __future__ import annotations

import hashlib
import json
import os
from base64 import b64decode
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from sandbox.fuel.worker.limits import BYTE_UNITS, CALL_UNITS
from sandbox.fuel.worker.written import MAX_ANSWER_BYTES, STDERR_TAIL_BYTES, text

Request = dict[str, Any]
Reply = dict[str, Any]
ProgramFacts = Mapping[str, Any]  # /box/program.json, which sandbox/fuel/program.py writes

EPOCH_NANOSECONDS = 768_960_000 * 1_000_000_000
"""What a clock shows when an instance starts: 15 May 1994, 00:00 UT."""

_CHUNK_BYTES = 65_536
_MOST_NANOSECONDS = 2**62  # of a program's clock: with the epoch it fits into 64 bits


class Ended(Exception):
    """A host function ends the instance. `how`: as in a reply's "ended"."""

    def __init__(self, how: Mapping[str, Any]) -> None:
        super().__init__(how)
        self.how = dict(how)


class Left(Exception):
    """The next request is for another instance; this one is dropped."""


class Requests:
    """Requests, one JSON line each, from standard input; replies to standard output."""

    def __init__(self) -> None:
        self._received = b""
        self._returned: Request | None = None

    def __iter__(self) -> Iterator[Request]:
        while (request := self.next()) is not None:
            yield request

    def next(self) -> Request | None:
        """The next request; None at the end."""
        if self._returned is not None:
            request, self._returned = self._returned, None
            return request
        while b"\n" not in self._received:
            chunk = os.read(0, _CHUNK_BYTES)
            if not chunk:
                return None
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        return dict(json.loads(line))

    def give_back(self, request: Request | None) -> None:
        self._returned = request

    @staticmethod
    def reply(reply: Reply) -> None:
        unsent = memoryview(json.dumps(reply).encode() + b"\n")
        while unsent:
            unsent = unsent[os.write(1, unsent) :]


class Host:
    """The world of one instance, and its units.

    While a function of the host runs, the units that are left are here; else `counter` tells what
    the module has of them.

    In lines, an instance runs until it has written a line or asks for one that is not there: these
    two calls reply to the request and wait for the next one. Otherwise its input is empty, and its
    output is collected.
    """

    def __init__(self, requests: Requests, seed: bytes, program: ProgramFacts) -> None:
        self.files = {name: b64decode(data) for name, data in program["files"].items()}
        self._units_per_second = int(program["units_per_second"])
        self.memory_bytes: Callable[[], int] = lambda: 0
        self.counter: Callable[[], int] = lambda: self._granted
        self._requests, self._seed = requests, seed
        self._random_calls = 0
        self._granted = 0  # at the last request
        self._left: int | None = None  # while a function of the host runs
        self._owed = 0  # for calls of the host, not yet taken
        self._used_before = 0  # in all requests before
        self._slept = 0  # nanoseconds
        self._is_lines = False
        self._input: deque[bytes] = deque()
        self._output = bytearray()
        self._stderr = bytearray()
        self._request: Request = {}
        self._lines_told = 0  # lines written since a "tell"

    # --- requests ---------------------------------------------------------------------------------
    def begin(self, request: Request, *, is_lines: bool) -> None:
        """Let the instance run for this request."""
        self._is_lines = is_lines
        self._take(request)

    def _take(self, request: Request) -> None:
        self._request = request
        self._used_before += self._used()
        self._granted = int(request["fuel"])
        self._left = self._granted
        self._lines_told = 0
        for key in ("ask", "tell"):
            if key in request:
                self._input.append(str(request[key]).encode() + b"\n")

    def facts(self) -> Reply:
        """What every reply has."""
        return {
            "fuel": self._used(),
            "memory": self.memory_bytes(),
            "stderr": text(self._stderr),
        }

    def output(self) -> bytes:
        """What the instance has written and no reply has had."""
        return bytes(self._output)

    def unasked(self) -> int | None:
        """Lines that it wrote after a "tell"; None if it was asked for a line."""
        return self._lines_told + bool(self._output) if "tell" in self._request else None

    def _suspend(self, reply: Reply) -> None:
        self.settle()
        self._requests.reply(reply | self.facts())
        request = self._requests.next()
        if request is None or not ("ask" in request or "tell" in request):
            self._requests.give_back(request)
            raise Left
        self._take(request)

    # --- fuel -------------------------------------------------------------------------------------
    def _used(self) -> int:
        left = self.counter() if self._left is None else self._left
        return min(self._granted, self._granted - left + self._owed)

    def charge_call(self, left: int) -> None:
        """Note what a call of the host costs. Every host function begins with this, and the units
        left."""
        self._left = left
        self._owed += CALL_UNITS

    def charge_bytes(self, count: int) -> None:
        """Note what it costs that a call moves this many bytes."""
        self._owed += BYTE_UNITS * count

    def settle(self) -> int:
        """Take the units that are owed, at the beginning of each suspension. Returns what is
        left."""
        left = self._left = (self._left or 0) - self._owed
        self._owed = 0
        if left < 0:
            raise Ended({"trap": "out of fuel"})
        return left

    def go_on(self) -> int:
        """The module runs from here, with these units."""
        left = self.settle()
        self._left = None
        return left

    # --- what host functions do -------------------------------------------------------------------
    def read(self, max_bytes: int) -> bytes:
        """From standard input; b"" at its end."""
        if not self._input:
            if not self._is_lines:
                return b""
            self._wait_for_input()
        data = self._input.popleft()
        if len(data) > max_bytes:
            self._input.appendleft(data[max_bytes:])
        return data[:max_bytes]

    def _wait_for_input(self) -> None:
        unasked = self.unasked()
        if unasked is None:
            raise Ended({"reads": True})
        self._output.clear()
        self._suspend({"unasked": unasked})

    def finds_input(self, *, may_wait: bool) -> bool:
        """Whether a program that looks for input finds some, or the end of it.

        A program that owes no answer waits for the next request. `may_wait`: one that owes an
        answer does not wait for anything else, either.
        """
        if not self._is_lines or self._input:
            return True
        if "ask" in self._request and not may_wait:
            return False
        self._wait_for_input()
        return True

    def write(self, data: bytes) -> None:
        """To standard output."""
        if not self._is_lines:
            self._output += data
            self._check_length()
            return
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._output += line
            self._end_line()
        self._output += rest
        self._check_length()

    def _end_line(self) -> None:
        self._check_length()
        if "tell" in self._request:
            self._output.clear()
            self._lines_told += 1
            return
        line = bytes(self._output)
        self._output.clear()
        self._suspend({"line": text(line)})

    def _check_length(self) -> None:
        if len(self._output) > MAX_ANSWER_BYTES:
            del self._output[MAX_ANSWER_BYTES:]
            if "tell" not in self._request:
                raise Ended({"too long": True})

    def write_error(self, data: bytes) -> None:
        """To standard error, of which the end is kept."""
        self._stderr += data[-STDERR_TAIL_BYTES:]
        del self._stderr[:-STDERR_TAIL_BYTES]

    def nanoseconds(self) -> int:
        """Counted time since the instance started, and what it has slept."""
        used = self._used_before + self._used()
        return min(used * 1_000_000_000 // self._units_per_second + self._slept, _MOST_NANOSECONDS)

    def sleep(self, nanoseconds: int) -> None:
        """Nobody waits: the clock jumps."""
        self._slept += max(0, nanoseconds)

    def random(self, size: int) -> bytes:
        self._random_calls += 1
        return hashlib.shake_256(self._seed + self._random_calls.to_bytes(8, "big")).digest(size)

    def exit(self, code: int) -> NoReturn:
        raise Ended({"exit": code})
