"""A connection to an engine: one request after the other, each answered in frames.

A frame is its length (4 bytes, little endian) and this many bytes. An empty frame ends the answer.
"""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread, Timer
from typing import IO, cast

_LENGTH_BYTES = 4
_MAX_FRAME_BYTES = 65_536
_MAX_MESSAGE_CHARS = 500
_EXIT_GRACE_SECONDS = 5.0  # for an engine that has closed its output


class EngineError(Exception):
    """What an engine did instead of answering."""


@dataclass
class EngineConnection:
    """A connection to one process, for one thread at a time. The caller ends the process."""

    process: subprocess.Popen[bytes]  # with unbuffered pipes
    header: bytes  # sent before the first request

    def ask(self, request: bytes, seconds: float) -> bytes:
        """Send the request and return the answer. Raises EngineError without a valid one in
        time."""
        deadline = time.monotonic() + seconds
        # An engine may begin to answer before it has read all.
        Thread(
            target=self._send, args=(self.header + request,), name="request", daemon=True
        ).start()
        self.header = b""
        guard = Timer(seconds, self.process.kill)
        guard.daemon = True
        guard.start()
        try:
            return read_answer(cast("IO[bytes]", self.process.stdout))
        except EOFError:
            if time.monotonic() >= deadline:
                raise EngineError(f"no answer within {seconds:.0f} s") from None
            raise self._exit_error() from None
        finally:
            guard.cancel()

    def _send(self, data: bytes) -> None:
        stdin, unsent = cast("IO[bytes]", self.process.stdin), memoryview(data)
        with suppress(BrokenPipeError, ValueError):  # it has ended: its output tells why
            while unsent:
                unsent = unsent[stdin.write(unsent) :]

    def _exit_error(self) -> EngineError:
        """End an engine that has closed its output; return its exit code and messages as an
        error."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_EXIT_GRACE_SECONDS)
        self.process.kill()
        code = self.process.wait()
        said = cast("IO[bytes]", self.process.stderr).read().decode(errors="replace")
        return EngineError(f"ended with {code} {said[:_MAX_MESSAGE_CHARS]!r}")


def read_answer(stream: IO[bytes]) -> bytes:
    """Read the frames of one answer. Raises EngineError for a frame that is too long, EOFError at
    an end."""
    frames = []
    while size := int.from_bytes(_exactly(stream, _LENGTH_BYTES), "little"):
        if size > _MAX_FRAME_BYTES:
            raise EngineError(f"a frame of {size} bytes")
        frames.append(_exactly(stream, size))
    return b"".join(frames)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    received = b""
    while len(received) < size:
        part = stream.read(size - len(received))
        if not part:
            raise EOFError
        received += part
    return received
