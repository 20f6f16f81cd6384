"""Run our own Python in several processes, so that it uses more than one core.

The pool of workers is the standard library's, with a fork server: one process imports the modules that the
work needs, and forks the workers.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import active_children, connection, forkserver, get_context, parent_process
from multiprocessing.process import BaseProcess
from threading import Thread

from contest.errors import EngineFailed

_START_METHOD = "forkserver"
_NEW_OBJECTS = 50_000


def prepare_workers(*modules: str) -> None:
    """Start the process that forks the workers, unless it runs. It imports the modules while we go on."""
    get_context(_START_METHOD).set_forkserver_preload([__name__, *modules])
    with _safe_path():
        forkserver.ensure_running()


def start_process(function: Callable[..., None], *arguments: object) -> BaseProcess:
    """Call the function in a new process. The arguments are pickled; a socket is passed on.

    The function sees to it that the process does not outlive us.
    """
    process = get_context("spawn").Process(target=function, args=arguments)
    with _safe_path():
        process.start()
    return process


@contextmanager
def _safe_path() -> Iterator[None]:
    """A file in the current folder must not take a module's place in a Python that we start."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


@contextmanager
def worker_pool(
    count: int, initializer: Callable[..., None], *arguments: object
) -> Iterator[ProcessPoolExecutor]:
    """`count` processes that work after each has called `initializer(*arguments)`.

    The context ends them; after an error at once, whatever they do. No worker outlives us for long, even if
    we are killed. Raises EngineFailed instead of BrokenExecutor, when a worker has ended.
    """
    others = set(active_children())
    executor = ProcessPoolExecutor(count, get_context(_START_METHOD), _start, (initializer, arguments))
    try:
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
    """In a new worker: Ctrl-C is for the parent, and without a parent there is nothing to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    collect_rarely()
    initializer(*arguments)


def _end_with_parent() -> None:
    parent = parent_process()
    with suppress(OSError):
        connection.wait([parent.sentinel] if parent else [])
    os._exit(1)


def collect_rarely() -> None:
    """Look for garbage after so many new objects. Python's 700 cost a contest day a tenth of its time."""
    gc.set_threshold(_NEW_OBJECTS)


@contextmanager
def rarely_collected() -> Iterator[None]:
    """For work that makes hundreds of thousands of objects which are no garbage."""
    usual = gc.get_threshold()
    collect_rarely()
    try:
        yield
    finally:
        gc.set_threshold(*usual)
