"""Run our own Python in several processes, so that it uses more than one core.

The workers are forked, so they know all that we know and import nothing. They are forked at once,
before this process starts threads for its work.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import active_children, connection, get_context, parent_process
from threading import Thread

from contest.errors import EngineFailed


@contextmanager
def worker_pool(
    count: int, initializer: Callable[..., None], *arguments: object
) -> Iterator[ProcessPoolExecutor]:
    """`count` processes that work after each has called `initializer(*arguments)`.

    The context ends them; after an error at once, whatever they do. No worker outlives us for long,
    even if we are killed. Raises EngineFailed instead of BrokenExecutor, when a worker has ended.
    """
    others = set(active_children())
    executor = ProcessPoolExecutor(count, get_context("fork"), _start, (initializer, arguments))
    try:
        executor.submit(int).result()
        yield executor
    except BaseException as error:  # KeyboardInterrupt, too
        for process in set(active_children()) - others:
            process.kill()
        executor.shutdown(cancel_futures=True)
        if isinstance(error, BrokenExecutor):
            raise EngineFailed(f"a worker process has ended: {error}") from error
        raise
    executor.shutdown()


def _start(initializer: Callable[..., None], arguments: tuple[object, ...]) -> None:
    """In a new worker: signals are for the parent, and without a parent there is nothing to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.freeze()  # what the parent has made is no garbage of ours
    Thread(target=_end_with_parent, daemon=True).start()
    initializer(*arguments)


def _end_with_parent() -> None:
    parent = parent_process()
    with suppress(OSError):
        connection.wait([parent.sentinel] if parent else [])
    os._exit(1)
