"""What a sandboxed process can and cannot do, tried with real processes."""

import os
import time
import uuid
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from contest.errors import ToolMissing
from sandbox import bubblewrap
from sandbox.sandbox import USER, Ending, Limits, Sandbox

SHELL = ("/bin/sh", "-c")


def python(code):
    return ["/usr/bin/python3", "-c", code]


@pytest.fixture
def long_time():
    """Seconds for which no other process sleeps, to recognise a sandboxed process among all
    processes."""
    return f"86399.{uuid.uuid4().int % 10**15:015}"


def all_processes():
    """Command lines of all processes on this host, and their users."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                found[file.read()] = os.fstat(file.fileno()).st_uid
        except OSError:
            continue
    return found


def test_a_command_gets_its_input_and_files_and_gives_its_output(sandbox: Sandbox) -> None:
    script, files = (
        "cat; cat /work/a /box/b; echo wrong >&2; exit 3",
        {"/work/a": b"A", "/box/b": b"B\0"},
    )
    result = sandbox.run([*SHELL, script], files=files, stdin=b"in ")
    assert (result.ending, result.code) == (Ending.EXIT, 3)
    assert (result.stdout, result.stderr) == (b"in AB\0", b"wrong\n")
    assert not result.succeeded


def test_the_environment_is_empty_but_for_what_was_handed_in(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOBELN_MAIL__PASSWORD", "hidden")
    names = sandbox.run([*SHELL, "env"], environment={"MINE": "1"}).stdout.decode()
    assert {line.partition("=")[0] for line in names.splitlines()} <= {
        "HOME",
        "LC_ALL",
        "MINE",
        "PATH",
        "PWD",
        "TMPDIR",
        "OLDPWD",
        "SHLVL",
        "_",
    }


OF_THE_HOST = """
    /etc/passwd /home /root /proc/self/status /proc/sys/kernel/core_pattern /sys /var /tmp
    /dev/kmsg /dev/mem /dev/sda
"""


@pytest.mark.parametrize("path", [*OF_THE_HOST.split(), os.path.abspath(__file__)])
def test_nothing_of_the_host_can_be_read(sandbox: Sandbox, path: str) -> None:
    result = sandbox.run([*SHELL, f"ls -d {path} || cat {path}"])
    assert not result.succeeded
    assert result.stdout == b""


@pytest.mark.parametrize(
    "path",
    ["/x", "/usr/x", "/dev/x", "/dev/shm/x", "/box/x", "/box/given", "/work/given"],  # noqa: S108
)
def test_nothing_can_be_written_outside_the_work_folder(sandbox: Sandbox, path: str) -> None:
    files = {"/box/given": b"old", "/work/given": b"old"}
    assert not sandbox.run([*SHELL, f"chmod 777 {path}; echo new > {path}"], files=files).succeeded
    assert sandbox.run([*SHELL, "echo new > /work/x && cat /work/x"]).stdout == b"new\n"


def test_a_given_file_cannot_be_exchanged(sandbox: Sandbox) -> None:
    script = "rm -f given; mv given other; ln -sf /usr/bin/env given; cat given"
    assert sandbox.run([*SHELL, script], files={"/work/given": b"old"}).stdout == b"old"


def test_the_work_folder_and_each_file_are_limited_and_forgotten(sandbox: Sandbox) -> None:
    limits = Limits(work_bytes=1_000_000, file_bytes=400_000)
    script = "for i in 1 2 3 4 5; do head -c 300000 /dev/zero > f$i || exit 7; done"
    assert sandbox.run([*SHELL, script], limits=limits).code == 7
    assert sandbox.run([*SHELL, "ls -A /work"]).stdout == b""
    result = sandbox.run([*SHELL, "exec cat /dev/zero > big"], limits=Limits(file_bytes=100_000))
    assert result.ending is Ending.SIGNAL


@pytest.mark.parametrize("address", ["('1.1.1.1', 53)", "('127.0.0.1', 25)"])
def test_there_is_no_network(sandbox: Sandbox, address: str) -> None:
    result = sandbox.run(python(f"import socket; socket.create_connection({address}, 1)"))
    assert result.code == 1
    assert b"Address family not supported" in result.stderr


def test_a_sandboxed_process_is_nobody_inside(sandbox: Sandbox) -> None:
    assert sandbox.run([*SHELL, "id -u; id -G; hostname"]).stdout == b"65534\n65534\nbox\n"


def test_a_sandboxed_process_has_no_capabilities_and_cannot_get_any(sandbox: Sandbox) -> None:
    code = (
        "import ctypes; libc = ctypes.CDLL(None, use_errno=True);print(libc.prctl(39, 0, 0, 0, 0),"
        " libc.unshare(1 << 28), libc.mount(b'x', b'/work', b'tmpfs', 0, 0))"
    )
    assert sandbox.run(python(code)).stdout == b"1 -1 -1\n"


@pytest.mark.needs_root  # to have another user to become
def test_started_as_root_a_sandboxed_process_is_an_unprivileged_user_outside(
    long_time: str,
) -> None:
    command = ["/usr/bin/sleep", long_time]
    with Sandbox().open(command):
        seen = set()
        deadline = time.monotonic() + 20
        while not seen and time.monotonic() < deadline:
            seen = {user for line, user in all_processes().items() if long_time.encode() in line}
    assert seen == {USER}


def test_no_descriptor_of_ours_gets_in(sandbox: Sandbox) -> None:
    code = (
        "import os\n"
        "def is_open(n):\n"
        "    try: os.fstat(n)\n"
        "    except OSError: return False\n"
        "    return True\n"
        "print([n for n in range(1024) if is_open(n)])"
    )
    limits = Limits(open_files=1024)
    assert sandbox.run(python(code), files={"/box/a": b""}, limits=limits).stdout == b"[0, 1, 2]\n"


def test_its_input_cannot_be_changed_under_our_hands(sandbox: Sandbox) -> None:
    assert sandbox.run(python("import os; os.write(0, b'x')"), stdin=b"input").code == 1


def test_no_other_processes_are_to_be_seen(sandbox: Sandbox) -> None:
    code = (
        "import os\n"
        "for n in range(3, 100_000):\n"
        "    try: os.kill(n, 0)\n"
        "    except ProcessLookupError: pass\n"
        "    else: print(n == os.getpid())\n"
    )
    assert sandbox.run(python(code)).stdout in (b"", b"True\n")


@pytest.mark.parametrize(
    ("command", "limits", "ending"),
    [
        ("while :; do :; done", {"cpu_seconds": 1, "wall_seconds": 60}, Ending.CPU_LIMIT),
        ("sleep 1000", {"wall_seconds": 0.3}, Ending.WALL_LIMIT),
        ("exec sleep 1000 >&- 2>&-", {"wall_seconds": 0.3}, Ending.WALL_LIMIT),
        ("yes", {}, Ending.OUTPUT_LIMIT),
        ("kill -SEGV $$", {}, Ending.SIGNAL),
        (":", {}, Ending.EXIT),
    ],
)
def test_every_end_has_its_name(
    sandbox: Sandbox, command: str, limits: dict[str, float], ending: Ending
) -> None:
    start = time.monotonic()
    result = sandbox.run([*SHELL, command], limits=Limits(**{"wall_seconds": 5, **limits}))
    assert result.ending is ending
    assert time.monotonic() - start < 90


def test_a_memory_hog_gets_no_more_than_its_limit(sandbox: Sandbox) -> None:
    limits = Limits(address_space_bytes=200 * 1024 * 1024)
    result = sandbox.run(python("x = bytearray(300 * 1024 * 1024)"), limits=limits)
    assert result.code == 1
    assert b"MemoryError" in result.stderr


def test_a_fork_bomb_ends_with_its_sandbox(sandbox: Sandbox, long_time: str) -> None:
    script = f"bomb() {{ sleep {long_time} & bomb; }}; bomb; wait; sleep {long_time}"
    result = sandbox.run([*SHELL, script], limits=Limits(wall_seconds=0.4, processes=20))
    assert result.ending in (Ending.EXIT, Ending.WALL_LIMIT, Ending.SIGNAL)
    assert not any(long_time.encode() in command for command in all_processes())


@pytest.mark.parametrize(
    "script",
    [
        "setsid sleep $TIME </dev/null >/dev/null 2>&1 & exit 0",
        "setsid sleep $TIME & sleep $TIME",
    ],
)
def test_children_die_with_the_sandbox(sandbox: Sandbox, script: str, long_time: str) -> None:
    sandbox.run([*SHELL, script], environment={"TIME": long_time}, limits=Limits(wall_seconds=0.2))
    assert not any(long_time.encode() in command for command in all_processes())


@pytest.mark.slow
def test_a_sandbox_that_is_ended_while_it_is_made_leaves_nothing(
    sandbox: Sandbox, long_time: str
) -> None:
    for delay in range(60):
        process = sandbox.open(["/usr/bin/sleep", long_time])
        time.sleep(delay / 10_000)
        process.close()
    assert not any(long_time.encode() in command for command in all_processes())


@pytest.mark.slow
def test_a_bubblewrap_that_is_killed_while_it_makes_a_sandbox_leaves_nothing(
    sandbox: Sandbox, long_time: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = bubblewrap._start
    delays = count()

    def start_and_kill(*arguments):
        process = start(*arguments)
        time.sleep(next(delays) / 10_000)
        process.kill()
        return process

    monkeypatch.setattr(bubblewrap, "_start", start_and_kill)
    for _ in range(60):
        with suppress(ToolMissing):
            result = sandbox.run(["/usr/bin/sleep", long_time], limits=Limits(wall_seconds=60))
            assert result.ending is not Ending.WALL_LIMIT
    assert not any(long_time.encode() in command for command in all_processes())


def test_without_bubblewrap_nothing_is_started(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing, match="Install the package `bubblewrap`"):
        sandbox.run(["/usr/bin/true"])
