"""The sandboxes of this process that live. A server that stops ends them all at once.

Threads that wait for a sandbox then get Stopped, and no new one is started. So nothing that was
under way is taken for a failure: it is done at the next start.
"""

from __future__ import annotations

import signal
from contextlib import suppress
from threading import Event, Lock

from contest.errors import Stopped

_lock = Lock()
_pidfds: set[int] = set()  # of bubblewrap, of each living sandbox
_ended = Event()


def require_going_on() -> None:
    """Raises Stopped once `end_all` was called."""
    if _ended.is_set():
        raise Stopped("this process ends its work; what it had begun is done at the next start")


def add(pidfd: int) -> None:
    """A sandbox lives, with this pidfd of bubblewrap, until `remove`. Raises Stopped."""
    with _lock:
        require_going_on()
        _pidfds.add(pidfd)


def remove(pidfd: int) -> None:
    """The descriptor is about to be closed."""
    with _lock:
        _pidfds.discard(pidfd)


def end_all() -> None:
    """End all sandboxes of this process, for good."""
    with _lock:
        _ended.set()
        for pidfd in _pidfds:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
