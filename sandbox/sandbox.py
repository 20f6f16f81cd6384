"""The jail: a foreign command, or a trusted compiler with foreign input, under bubblewrap.

Theory of operation. A prisoner sees a read-only `/usr` (with the usual links `/bin`, `/lib` ...), a small
`/dev`, the read-only files that the caller hands in, and one folder that it may write: `/work`, in memory and
of limited size. There is no `/etc`, `/home`, `/proc` or network, and no process but its own. Limits are set
by `prlimit` inside, where the number of processes is counted for this box alone.

A player's image (sandbox/oci) stands in for all of the system: its own files read-only, /tmp to write, and a
read-only /proc. In that it can read what any container can: the computer's kernel, processors and load, and
the path that the image lies at. Its limits are set from outside, before its command is started.

- bubblewrap is never started by root: even without capabilities a prisoner could then open files of
  `/proc/sys` for writing. Started as root we become an unprivileged user first.
- Everything comes back through pipes with a cap. Nothing that a prisoner could write is opened from outside.
- Whether the command was started at all is said on a pipe that the prisoner does not have. If it was not,
  that is a fault of the installation (ToolMissing), never the prisoner's.
- When `run` returns or raises, and when an opened prisoner is closed, no process of the box is left.

`run` is for a command that works by itself to its end, `open` for one that is asked (prisoner.py).
"""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from contest.config.sections import SandboxSettings
from sandbox.bubblewrap import WORK, Box, Contents, Ending, Limits, Root, no_box, sealed
from sandbox.process import SandboxedProcess

__all__ = ["WORK", "Ending", "Limits", "Sandbox", "SandboxResult"]

_CHUNK = 65_536


@dataclass(frozen=True)
class SandboxResult:
    """`code` is the exit code (EXIT) or the signal's number (SIGNAL), 0 otherwise.

    A command that exits with 128 + n looks like one that died of signal n, as it does to a shell.
    """

    ending: Ending
    code: int
    stdout: bytes
    stderr: bytes

    @property
    def succeeded(self) -> bool:
        return self.ending is Ending.EXIT and self.code == 0


class Sandbox:
    """Runs commands in boxes; may be used from several threads at once."""

    def __init__(self, settings: SandboxSettings | None = None) -> None:
        self._user = (settings or SandboxSettings()).user_id

    @property
    def user(self) -> int | None:
        """Whom boxes belong to, where that is somebody else: started as root."""
        return self._user if os.geteuid() == 0 else None

    def run(
        self,
        command: Sequence[str],
        *,
        files: Mapping[str, bytes] | None = None,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        folders: Sequence[str] = (),
        limits: Limits | None = None,
    ) -> SandboxResult:
        """Run the command to its end, with these contents of its box (`Contents`).

        Raises ToolMissing, with how to mend it, when the command could not be started in a box.
        """
        limits = limits or Limits()
        contents = Contents(files or {}, environment or {}, tuple(folders))
        with sealed(stdin) as given:
            box = Box(command, contents, limits, given, self._user)
        try:
            return _guard(box, limits)
        finally:
            box.close()

    def open(
        self,
        command: Sequence[str],
        *,
        files: Mapping[str, bytes] | None = None,
        environment: Mapping[str, str] | None = None,
        folders: Sequence[str] = (),
        root: Root | None = None,
        limits: Limits | None = None,
    ) -> SandboxedProcess:
        """Start the command and talk to it. To be closed; it lives no longer than the calling thread.

        With `root` in an unpacked image instead of the system, where /tmp is the one folder to write.

        Raises ToolMissing as `run` does, here or when the prisoner is first asked.
        """
        limits = limits or Limits()
        contents = Contents(files or {}, environment or {}, tuple(folders), root)
        theirs, ours = os.pipe()
        try:
            box = Box(command, contents, limits, theirs, self._user)
        except BaseException:
            os.close(ours)
            raise
        finally:
            os.close(theirs)
        return SandboxedProcess(box, ours, limits.output_bytes)


@dataclass
class _Stream:
    """What came through a pipe, up to `cap` bytes."""

    cap: int
    data: bytearray = field(default_factory=bytearray)

    def take(self, chunk: bytes) -> bool:
        """Whether it still fitted."""
        room = self.cap - len(self.data)
        self.data += chunk[:room]
        return len(chunk) <= room


def _guard(box: Box, limits: Limits) -> SandboxResult:
    """Listen until the box is done or has used up what it may; then make sure that nothing of it is left."""
    deadline = time.monotonic() + limits.wall_seconds
    streams = {box.stdout: _Stream(limits.output_bytes), box.stderr: _Stream(limits.output_bytes)}
    try:
        broken = _listen(box, streams, deadline)
    finally:
        end = box.end()
    stdout, stderr = (bytes(stream.data) for stream in streams.values())
    if broken is not None:
        return SandboxResult(broken, 0, stdout, stderr)
    if end is None:
        raise no_box(stderr)
    return SandboxResult(*end, stdout, stderr)


def _listen(box: Box, streams: Mapping[int, _Stream], deadline: float) -> Ending | None:
    """Read all pipes until they are closed and the box is gone; the limit that was broken, if any."""
    with selectors.DefaultSelector() as selector:
        for descriptor in (*streams, box.gone):
            selector.register(descriptor, selectors.EVENT_READ)
        while streams.keys() & selector.get_map().keys():
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                return Ending.WALL_LIMIT
            for key, _ in ready:
                if key.fd == box.gone:
                    selector.unregister(box.gone)
                    box.end_rest()
                    continue
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    selector.unregister(key.fd)
                elif not streams[key.fd].take(chunk):
                    return Ending.OUTPUT_LIMIT
            if time.monotonic() > deadline:
                return Ending.WALL_LIMIT
    return None if box.wait(deadline - time.monotonic()) else Ending.WALL_LIMIT
