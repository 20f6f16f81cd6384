"""A dialogue with an engine that answers one order after the other, in the form of machine/engine/batch.h."""

from __future__ import annotations

import os
import selectors
import struct
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO

_FRAME_HEAD = struct.Struct("<I")
_LARGEST_FRAME = 65_536
_CHUNK = 65_536
_KILL_TIMEOUT_SECONDS = 5.0  # seconds in which an engine that has closed its output must end


class EngineError(Exception):
    """What an engine did instead of answering."""

    @classmethod
    def of(cls, code: int, words: bytes) -> EngineError:
        return cls(f"ended with {code} {words.decode(errors='replace')[:500]!r}")


@dataclass
class EngineConnection:
    """With one process, for one thread at a time. Who started the process ends it."""

    process: subprocess.Popen[bytes]
    opening: bytes  # goes before the first order

    def ask(self, order: bytes, seconds: float) -> bytes:
        """The answer to this order. EngineError without a sensible one within these seconds."""
        deadline = time.monotonic() + seconds
        words, self.opening = memoryview(self.opening + order), b""
        answer = _Answer()
        stdin, stdout = _descriptor(self.process.stdin), _descriptor(self.process.stdout)
        os.set_blocking(stdin, False)
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            selector.register(stdin, selectors.EVENT_WRITE)
            while not answer.complete:
                ready = selector.select(max(0.0, deadline - time.monotonic()))
                if not ready:
                    raise EngineError(f"no answer within {seconds:.0f} s")
                for key, _ in ready:
                    if key.fd == stdout:
                        self._take(answer, os.read(stdout, _CHUNK))
                        continue
                    words = words[_write(stdin, words) :]
                    if not words:
                        selector.unregister(stdin)
        return answer.text()

    def _take(self, answer: _Answer, chunk: bytes) -> None:
        if not chunk:
            raise self._gone()
        answer.take(chunk)

    def _gone(self) -> EngineError:
        """The error of an engine that says no more."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_KILL_TIMEOUT_SECONDS)
        self.process.kill()
        stderr = _descriptor(self.process.stderr)
        os.set_blocking(stderr, False)
        with suppress(BlockingIOError):
            return EngineError.of(self.process.wait(), os.read(stderr, _CHUNK))
        return EngineError.of(self.process.wait(), b"")


def _descriptor(pipe: IO[bytes] | None) -> int:
    if pipe is None:
        raise ValueError("an engine is started with pipes")
    return pipe.fileno()


def answer_in(raw: bytes) -> bytes:
    """What an engine said to one order. EngineError unless that is a whole answer."""
    answer = _Answer()
    answer.take(raw)
    if not answer.complete:
        raise EngineError(f"an answer that breaks off after {len(raw)} bytes")
    return answer.text()


def _write(descriptor: int, words: memoryview) -> int:
    """How many bytes were taken. An engine that takes no more says why: all of them."""
    try:
        return os.write(descriptor, words[:_CHUNK])
    except BrokenPipeError:
        return len(words)


@dataclass
class _Answer:
    """Frames, as they come in."""

    parts: list[bytes] = field(default_factory=list)
    rest: bytearray = field(default_factory=bytearray)
    complete: bool = False

    def take(self, chunk: bytes) -> None:
        self.rest += chunk
        at = 0
        with memoryview(self.rest) as words:
            while len(words) - at >= _FRAME_HEAD.size and not self.complete:
                (size,) = _FRAME_HEAD.unpack_from(words, at)
                if size > _LARGEST_FRAME:
                    raise EngineError(f"a frame of {size} bytes")
                end = at + _FRAME_HEAD.size + size
                if len(words) < end:
                    break
                self.parts.append(bytes(words[at + _FRAME_HEAD.size : end]))
                at = end
                self.complete = size == 0
        del self.rest[:at]
        if self.complete and self.rest:
            raise EngineError(f"{len(self.rest)} bytes behind the answer")

    def text(self) -> bytes:
        return b"".join(self.parts)
