"""Runs a command of knobeln, and kills it before its n-th change of files, as `kill -9` does.

A change is whatever gives a file or folder a name or takes it away, opens a file for writing, or
makes something durable: a commit, an fsync.
"""

import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Sequence
from itertools import count
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from knobeln.cli import main

_CHANGES = ("os.rename", "os.link", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.truncate")
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload([__name__])


def killed(words: Sequence[object], step: int) -> bool:
    """Whether the command was killed before this change, from 0; False: it has ended well
    before."""
    return _code_of(_run_until, [str(word) for word in words], step) == -signal.SIGKILL


def with_files_up_to(words: Sequence[object], max_bytes: int) -> int:
    """The exit code of the command, where no file can become longer, as on a full disk."""
    return _code_of(_run_limited, [str(word) for word in words], max_bytes)


def _code_of(target: Any, words: list[str], number: int) -> int:
    process = _PROCESSES.Process(target=target, args=(words, number))
    process.start()
    process.join()
    assert process.exitcode is not None
    return process.exitcode


def _run_until(words: list[str], step: int) -> None:
    steps = count()

    def change() -> None:
        if next(steps) == step:
            os.kill(os.getpid(), signal.SIGKILL)

    def look(name: str, arguments: tuple[Any, ...]) -> None:
        if name in _CHANGES or (name == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR)):
            change()

    def synced(descriptor: int) -> None:
        change()
        sync(descriptor)

    sync, os.fsync = os.fsync, synced
    event.listen(Engine, "commit", lambda _connection: change())
    sys.addaudithook(look)
    main(words)


def _run_limited(words: list[str], max_bytes: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (max_bytes, max_bytes))
    main(words)
