"""Find and end sandboxes whose makers were killed while bubblewrap set them up.

bubblewrap ties a sandbox to its parent only when the set-up is done; a first process that loses
bubblewrap before waits for ever. So each bubblewrap has a label as the name of its command. The
first process inherits the label; the foreign program does not. It names the maker by its pid
namespace, its id and its start time.
"""

from __future__ import annotations

import os
import re
import signal
from contextlib import suppress
from functools import cache
from pathlib import Path

_LABEL = re.compile(r"knobeln-box-(\d+)-(\d+)-(\d+)(?:-\d+)?")


def label() -> str:
    """Return the name under which this process runs bubblewrap; the control groups that it makes
    begin with it."""
    return _label(os.getpid())


@cache
def _label(pid: int) -> str:
    return f"knobeln-box-{_namespace()}-{pid}-{_started_at(pid)}"


@cache
def sweep_once(_pid: int) -> None:
    """Call `sweep` once in the process with this id."""
    sweep()


def sweep() -> None:
    """End the sandboxes of makers that have ended, as far as we may."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or belongs to another user
            if is_left_over(_name(folder)):
                process = os.pidfd_open(int(folder.name))
                try:
                    if is_left_over(_name(folder)):  # it is still the same process
                        signal.pidfd_send_signal(process, signal.SIGKILL)
                finally:
                    os.close(process)


def _name(folder: Path) -> str:
    return (folder / "cmdline").read_bytes().partition(b"\0")[0].decode(errors="replace")


def is_left_over(name: str) -> bool:
    """Return whether this is the label, perhaps with a number, of a maker in our pid namespace that
    has ended."""
    label = _LABEL.fullmatch(name)
    if label is None:
        return False
    namespace, maker, started_at = map(int, label.groups())
    return namespace == _namespace() and _started_at(maker) != started_at


@cache
def _namespace() -> int:
    return os.stat("/proc/self/ns/pid").st_ino


def _started_at(pid: int) -> int | None:
    """Return when the process started, in clock ticks since the host did; None if there is none, or
    a dead one."""
    try:
        facts = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if facts[0] in (b"Z", b"X") else int(facts[19])
