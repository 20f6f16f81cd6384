"""A connection to an engine: one request after the other, each answered in frames.

A frame is its length (4 bytes, little endian) and this many bytes. An empty frame ends the answer.
"""

from __future__ import annotations

import os
import selectors
import struct
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO

_LENGTH = struct.Struct("<I")
_MAX_FRAME_BYTES = 65_536
_CHUNK_BYTES = 65_536
_MAX_MESSAGE_CHARS = 500
_EXIT_GRACE_SECONDS = 5.0  # for an engine that has closed its output


class EngineError(Exception):
    """What an engine did instead of answering."""

    @classmethod
    def from_exit(cls, code: int, stderr: bytes) -> EngineError:
        return cls(f"ended with {code} {stderr.decode(errors='replace')[:_MAX_MESSAGE_CHARS]!r}")


@dataclass
class EngineConnection:
    """A connection to one process, for one thread at a time. The caller ends the process."""

    process: subprocess.Popen[bytes]
    header: bytes  # sent before the first request

    def ask(self, request: bytes, seconds: float) -> bytes:
        """Send the request and return the answer. Raises EngineError without a valid one in time."""
        deadline = time.monotonic() + seconds
        unsent, self.header = memoryview(self.header + request), b""
        answer = EngineAnswer()
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
                        chunk = os.read(stdout, _CHUNK_BYTES)
                        if not chunk:
                            raise self._exit_error()
                        answer.add(chunk)
                        continue
                    unsent = unsent[_write(stdin, unsent) :]
                    if not unsent:
                        selector.unregister(stdin)
        return answer.payload()

    def _exit_error(self) -> EngineError:
        """End an engine that has closed its output; return its exit code and messages as an error."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_EXIT_GRACE_SECONDS)
        self.process.kill()
        stderr = _descriptor(self.process.stderr)
        os.set_blocking(stderr, False)
        message = b""
        with suppress(BlockingIOError):
            message = os.read(stderr, _CHUNK_BYTES)
        return EngineError.from_exit(self.process.wait(), message)


def _descriptor(pipe: IO[bytes] | None) -> int:
    if pipe is None:
        raise ValueError("an engine is started with pipes")
    return pipe.fileno()


def _write(descriptor: int, data: memoryview) -> int:
    """How many bytes the engine took. If it takes no more we drop the rest: its output tells why."""
    try:
        return os.write(descriptor, data[:_CHUNK_BYTES])
    except BrokenPipeError:
        return len(data)


@dataclass
class EngineAnswer:
    """Collects the frames of one answer as they arrive."""

    complete: bool = False
    _frames: list[bytes] = field(default_factory=list)
    _rest: bytearray = field(default_factory=bytearray)

    def add(self, chunk: bytes) -> None:
        """Raises EngineError for a frame that is too long, and for bytes after the answer."""
        self._rest += chunk
        at = 0
        with memoryview(self._rest) as received:
            while len(received) - at >= _LENGTH.size and not self.complete:
                (size,) = _LENGTH.unpack_from(received, at)
                if size > _MAX_FRAME_BYTES:
                    raise EngineError(f"a frame of {size} bytes")
                end = at + _LENGTH.size + size
                if len(received) < end:
                    break
                self._frames.append(bytes(received[at + _LENGTH.size : end]))
                at = end
                self.complete = size == 0
        del self._rest[:at]
        if self.complete and self._rest:
            raise EngineError(f"{len(self._rest)} bytes after the answer")

    def payload(self) -> bytes:
        return b"".join(self._frames)
