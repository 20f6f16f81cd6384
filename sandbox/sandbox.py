"""Run a foreign command, or a trusted compiler with foreign input, in a sandbox made by bubblewrap.

Theory of operation. A sandboxed process sees a read-only `/usr` (with the usual links `/bin`,
`/lib` ...), a small `/dev`, the read-only files that the caller hands in, and one folder that it
may write: `/work`, in memory and of limited size. There is no `/etc`, `/home`, `/proc` or network,
and no package of the system's Python; the caller names the exceptions (`folders`). No process of
others can be seen. `prlimit` sets the limits of each process from inside, where the kernel counts
processes for this sandbox alone. Where the host has groups, memory, processes and CPU are limited
for the whole sandbox, too (groups.py).

A player's image (sandbox/images) replaces the system: the sandbox has the image's own files,
read-only, /tmp to write, and a read-only /proc. Through /proc it can read what any container can:
the host's kernel, processors and load, and the path of the image. An image need not contain
prlimit, so we set its limits from outside before its command starts. The programs that unpack
images have a folder of the host's to write; the one that fetches them has the network, and so no
filter of system calls.

- A filter allows the system calls that programs need, and no others (`sandbox/seccomp/`). Without a
  filter for this host nothing is started.
- root never starts bubblewrap: even without capabilities, a process of root's could open files of
  `/proc/sys` for writing. If we run as root, we become an unprivileged user first.
- All results come back through pipes with a size limit. We open no file that foreign code could
  have written.
- bubblewrap reports on a pipe of its own, which foreign code does not have, whether it started the
  command. If it did not, the installation is at fault (ToolMissing), never the foreign program.
- No process of a sandbox is left when `run` returns or raises, or when a SandboxedProcess is
  closed.

bubblewrap.py lists the processes and pipes of one sandbox. `Sandbox.run` is for a command that
works to its end by itself, `Sandbox.open` for one that answers questions (process.py).
"""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Mapping, Sequence
from typing import Unpack

from sandbox import budget
from sandbox.bubblewrap import BubblewrapSandbox, Contents, sealed_file, start_failure
from sandbox.budget import Budget
from sandbox.limits import WORK, Limits
from sandbox.process import ExitStatus, SandboxedProcess
from sandbox.running import Ending

__all__ = ["WORK", "Ending", "ExitStatus", "Limits", "Sandbox"]

USER = 61_994
"""The user and group id of sandboxes outside, if we are root: no system has such a user."""
_CHUNK_BYTES = 65_536
_LOOK_SECONDS = 0.5  # between two looks whether something is left of a budget
_USUAL = Limits()


class Sandbox:
    """Runs commands, each in a new sandbox. Several threads may use it at once."""

    has_process_tree = True  # of its own: its processes neither see nor reach others

    @property
    def user(self) -> int | None:
        """The user id that sandboxes run as if we are root; None if they run as ourselves."""
        return USER if os.geteuid() == 0 else None

    def run(
        self,
        command: Sequence[str],
        *,
        stdin: bytes = b"",
        limits: Limits = _USUAL,
        **contents: Unpack[Contents],
    ) -> ExitStatus:
        """Run the command to its end.

        Raises ToolMissing, with advice how to fix it, if the command could not be started in a
        sandbox; UsedUp if a budget that it is paid from has nothing left.
        """
        with sealed_file(stdin) as stdin_file:
            running = BubblewrapSandbox(command, contents, limits, stdin_file, USER)
        payer = budget.current()
        try:
            status = _run_to_end(running, limits, payer)
        finally:
            running.close()
        if payer:
            payer.pay(status.usage.cpu_seconds or 0.0)
        return status

    def open(
        self,
        command: Sequence[str],
        *,
        limits: Limits = _USUAL,
        is_worker: bool = False,
        **contents: Unpack[Contents],
    ) -> SandboxedProcess:
        """Start the command, to talk to it. The caller closes it; it does not outlive the calling
        thread.

        `is_worker`: see SandboxedProcess. Raises ToolMissing as `run` does, here or at the first
        question.
        """
        read_end, write_end = os.pipe()
        try:
            running = BubblewrapSandbox(command, contents, limits, read_end, USER)
        except BaseException:
            os.close(write_end)
            raise
        finally:
            os.close(read_end)
        return SandboxedProcess(running, write_end, limits.output_bytes, is_worker=is_worker)


def _run_to_end(running: BubblewrapSandbox, limits: Limits, payer: Budget | None) -> ExitStatus:
    """Read until the sandbox has ended or broken a limit; then make sure that no process is
    left."""
    deadline = time.monotonic() + limits.wall_seconds
    streams = {running.stdout: bytearray(), running.stderr: bytearray()}
    try:
        broken_limit = _read_until_end(running, streams, limits.output_bytes, deadline, payer)
    finally:
        end = running.end()
    stdout, stderr = map(bytes, streams.values())
    if broken_limit is not None:
        return ExitStatus(broken_limit, 0, stderr, running.usage, stdout)
    if end is None:
        raise start_failure(stderr)
    return ExitStatus(*end, stderr, running.usage, stdout)


def _read_until_end(
    running: BubblewrapSandbox,
    streams: Mapping[int, bytearray],
    max_bytes: int,
    deadline: float,
    payer: Budget | None,
) -> Ending | None:
    """Read both pipes until they are closed and the sandbox has ended. Return the broken limit, if
    any.

    `max_bytes`: of each pipe. Of output that does not fit the beginning is kept.
    """
    with selectors.DefaultSelector() as selector:
        for descriptor in (*streams, running.gone):
            selector.register(descriptor, selectors.EVENT_READ)
        while streams.keys() & selector.get_map().keys():
            left = max(0.0, deadline - time.monotonic())
            ready = selector.select(min(left, _LOOK_SECONDS) if payer else left)
            if payer and (running.cpu_seconds() or 0.0) > payer.left:
                return Ending.CPU_LIMIT
            for key, _ in ready:
                if key.fd == running.gone:
                    selector.unregister(running.gone)
                    running.end_rest()
                    continue
                chunk = os.read(key.fd, _CHUNK_BYTES)
                if not chunk:
                    selector.unregister(key.fd)
                    continue
                room = max_bytes - len(streams[key.fd])
                streams[key.fd].extend(chunk[:room])
                if len(chunk) > room:
                    return Ending.OUTPUT_LIMIT
            if time.monotonic() > deadline:
                return Ending.WALL_LIMIT
    return None if running.wait(deadline - time.monotonic()) else Ending.WALL_LIMIT
