"""What the kernel counts for the whole host or for a user: one box gets little of it.

docs/security.md lists these counts. Each is reached for here from inside, until there is no more.
"""

import json
from pathlib import Path

import pytest

from sandbox.sandbox import Limits, Sandbox

LIMITS = Limits(processes=4, open_files=40)
GRABS = r"""
import ctypes, errno, json, os, select, socket, sys

libc = ctypes.CDLL(None, use_errno=True)
ADD_KEY, IO_SETUP = (248, 206) if os.uname().machine == "x86_64" else (217, 0)
SET_PIPE_SIZE = 1031


def count(take):
    '''How many there were, and why there was no other one.'''
    kept = []
    while len(kept) < 5_000:
        try:
            kept.append(take())
        except OSError as error:
            return len(kept), errno.errorcode[error.errno]
    return len(kept), ""


def checked(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), "")
    return result


def descriptor():
    return open("/dev/null")


def pipe():
    return [os.fdopen(end) for end in os.pipe()]


def large_pipe():
    read, write = os.pipe()
    checked(libc.fcntl(write, SET_PIPE_SIZE, 1 << 20))


def terminal():
    return open("/dev/ptmx", "rb")


def watch():
    return checked(libc.inotify_init1(0))


def lock():
    return checked(libc.flock(1, 1))


def key():
    return checked(libc.syscall(ADD_KEY, b"user", b"a", b"b", 1, -3))


def shared_memory():
    return checked(libc.shmget(0, 4_096, 0o1600))


def queue():
    return checked(libc.msgget(0, 0o1600))


def asynchronous_requests():
    return checked(libc.syscall(IO_SETUP, 1_000, ctypes.byref(ctypes.c_long())))


def timer():
    return checked(libc.timer_create(1, None, ctypes.byref(ctypes.c_void_p())))


def network():
    return socket.socket(socket.AF_INET)


def process():
    child = os.fork()
    if child == 0:
        select.select([], [], [], 60)
    return child


print(json.dumps(count(globals()[sys.argv[1]])))
"""

NOT_THERE = (0, "ENOSYS")
GRABBED = {
    "descriptor": (37, "EMFILE"),
    "pipe": (18, "EMFILE"),
    "large_pipe": NOT_THERE,
    "terminal": (0, "ENOENT"),
    "watch": NOT_THERE,
    "lock": NOT_THERE,
    "key": NOT_THERE,
    "shared_memory": NOT_THERE,
    "queue": NOT_THERE,
    "asynchronous_requests": NOT_THERE,
    "timer": (1_024, "EAGAIN"),
    "network": (0, "EAFNOSUPPORT"),
    "process": (2, "EAGAIN"),
}
"""How many of each a box gets, and the error of the next."""


@pytest.mark.parametrize("what", GRABBED)
def test_a_box_gets_so_many_and_no_more(sandbox: Sandbox, what: str) -> None:
    command = ["/usr/bin/python3", "-I", "/box/grabs.py", what]
    ended = sandbox.run(command, files={"/box/grabs.py": GRABS.encode()}, limits=LIMITS)
    assert ended.succeeded, ended.stderr
    assert tuple(json.loads(ended.stdout)) == GRABBED[what]


def test_the_list_for_readers_names_them_all() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "security.md").read_text()
    table = guide.partition("## What the host counts")[2].partition("\n## ")[0]
    assert [what for what in GRABBED if f"`{what}`" not in table] == []
