"""The limits of a whole sandbox, tried with real groups of this host; and what holds where it has
none."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen

import pytest

from contest.errors import ToolMissing
from sandbox import groups, leftovers
from sandbox.limits import MB, NOT_COUNTED
from sandbox.sandbox import Ending, Limits, Sandbox
from tests.support.other_users import NOBODYS, python_for_others

MEMORY = Limits(
    address_space_bytes=48 * MB, work_bytes=16 * MB, processes=24, cpu_seconds=50, wall_seconds=60
)
HERE = groups.limits_of_sandboxes()
needs_groups = pytest.mark.skipif(not HERE.whole, reason=HERE.sentence)
HOLDS_A_SANDBOX = """
import sys, time
from sandbox import bubblewrap
from sandbox.sandbox import Sandbox
if sys.argv[1] == "waiting at the gate":
    def stay(*arguments):
        print("ready", flush=True)
        time.sleep(1000)
    bubblewrap.BubblewrapSandbox._release_with_limits = stay
process = Sandbox().open(["/bin/sh", "-c", "echo ready; sleep 1000"])
print(process.ask("", 60).text, flush=True)
time.sleep(1000)
"""


@pytest.fixture
def other_server():
    """Starts a process of ours that has a sandbox; (process, its label)."""
    with ExitStack() as stack:

        def start(state):
            command = [sys.executable, "-c", HOLDS_A_SANDBOX, state]
            process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE))
            stack.callback(process.kill)
            assert process.stdout.readline() == b"ready\n"
            return process, leftovers._label(process.pid)

        yield start


def python(code: str) -> list[str]:
    return ["/usr/bin/python3", "-c", code]


def left_of(label):
    """The groups and the processes with this label."""
    # Other tests' groups come and go meanwhile, which os.walk takes calmly.
    folders = (
        Path(above) / name for above, names, _ in os.walk("/sys/fs/cgroup") for name in names
    )
    found = {folder for folder in folders if folder.name.startswith(label)}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            name = Path(f"/proc/{entry}/cmdline").read_bytes().partition(b"\0")[0]
        except OSError:
            continue
        if name.decode(errors="replace") == label:
            found.add(Path(f"/proc/{entry}"))
    return found


EATERS = {
    "the memory of all processes": """
import os, time
for _ in range(6):
    if os.fork() == 0:
        hog = bytearray(20_000_000)
        time.sleep(1000)
os.wait()
""",
    "files and shared memory": """
import mmap, os, time
for n in range(4):
    open(f"/work/{n}", "wb").write(b"x" * 3_900_000)
for _ in range(5):
    if os.fork() == 0:
        shared = mmap.mmap(-1, 12_000_000)
        shared.write(b"x" * 12_000_000)
        time.sleep(1000)
os.wait()
""",
    "what the kernel holds for files": """
for n in range(1_000_000):
    open(f"/work/{n}", "w").close()
""",
}

ONE_AFTER_THE_OTHER = """
import os
for _ in range(3):
    if os.fork() == 0:
        hog = bytearray(10_000_000)
        os._exit(0)
    os.wait()
"""
SESSIONS_THAT_WORK = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        while time.process_time() < 0.2: pass
        os._exit(0)
for _ in range(3): os.wait()
"""
FORK_BOMB = """
import os, time
try:
    while True:
        if os.fork() == 0:
            os.setsid()
            time.sleep(1000)
        print(1, flush=True)
except OSError: pass
"""
SPINNERS = """
import os
for _ in range(13):
    if os.fork() == 0:
        os.setsid()
        while True: pass
print("ready", flush=True)
while True: pass
"""


@needs_groups
@pytest.mark.parametrize("what", EATERS)
def test_memory_is_limited_for_the_whole_sandbox(what: str, sandbox: Sandbox) -> None:
    result = sandbox.run(python(EATERS[what]), limits=MEMORY)
    assert (result.ending, result.code) == (Ending.MEMORY_LIMIT, 64)
    assert 48 * MB < result.usage.peak_memory_bytes <= 64 * MB


@needs_groups
def test_a_program_that_uses_too_much_memory_is_told_the_limit(sandbox: Sandbox) -> None:
    with sandbox.open(python(EATERS["the memory of all processes"]), limits=MEMORY) as process:
        status = process.finish(60).exit_status
    assert (
        status.description
        == "used more than 64 MB of memory, with its files and all its processes,"
    )


@needs_groups
def test_a_program_that_keeps_to_the_limit_plays_and_its_peak_is_known(sandbox: Sandbox) -> None:
    result = sandbox.run(python(ONE_AFTER_THE_OTHER), limits=MEMORY)
    assert result.succeeded, result
    assert 10_000_000 < result.usage.peak_memory_bytes < 40 * MB


@needs_groups
def test_the_cpu_time_of_all_processes_is_counted(sandbox: Sandbox) -> None:
    result = sandbox.run(python(SESSIONS_THAT_WORK))
    assert result.succeeded, result
    assert 0.6 <= result.usage.cpu_seconds < 6


def test_a_fork_bomb_gets_no_more_processes_than_its_sandbox_may_have(sandbox: Sandbox) -> None:
    result = sandbox.run(python(FORK_BOMB), limits=Limits(processes=12))
    assert result.succeeded, result
    assert len(result.stdout.splitlines()) in range(8, 12)


@needs_groups
@pytest.mark.slow
def test_a_sandbox_full_of_spinners_is_one_competitor_for_the_cpu(sandbox: Sandbox) -> None:
    """14 processes with sessions of their own would get 14 times the CPU of an honest program."""
    honest = "import time\nwhile time.process_time() < 1: pass"
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(processors)})  # the sandboxes inherit it
    try:
        with sandbox.open(python(SPINNERS)) as process:
            assert process.ask("", 60).text == "ready"
            used = sandbox.run(python(honest), limits=Limits(wall_seconds=60)).usage.cpu_seconds
            spent = process.close().usage.cpu_seconds
    finally:
        os.sched_setaffinity(0, processors)
    assert used >= 1
    assert spent < 4 * used


def test_a_sandbox_leaves_no_group(sandbox: Sandbox) -> None:
    sandbox.run(["/usr/bin/true"])
    assert left_of(leftovers.label()) == set()


@pytest.mark.parametrize("state", ["running", "waiting at the gate"])
def test_what_a_killed_server_leaves_is_swept_and_what_a_living_one_has_is_not(
    state: str, other_server: Callable[[str], tuple[Popen[bytes], str]], sandbox: Sandbox
) -> None:
    (dead, dead_label), (_, living_label) = other_server(state), other_server("running")
    held = left_of(living_label)
    assert held
    assert left_of(dead_label)
    os.kill(dead.pid, signal.SIGSTOP)  # so that it dies without a last word
    dead.kill()
    dead.wait()
    deadline = time.monotonic() + 60
    while left_of(dead_label) and time.monotonic() < deadline:
        leftovers.sweep()
        groups.sweep()
    assert left_of(dead_label) == set()
    assert left_of(living_label) == held


def test_without_groups_limits_are_for_each_process(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "_found", lambda: (None, "cgroup v2: it is not mounted"))
    limits = groups.limits_of_sandboxes()
    assert not limits.whole
    assert "for each process of a sandbox alone" in limits.sentence
    assert (
        "it is not mounted. Start `knobeln serve` by its unit, which has Delegate=yes"
        in limits.sentence
    )
    assert sandbox.run(["/usr/bin/true"]).usage == NOT_COUNTED


@pytest.mark.needs_root
def test_two_processes_say_the_same_of_their_limits() -> None:
    """Else the journal would have a new line at each start."""
    python, environment = python_for_others()
    ask = [
        python,
        "-c",
        "from sandbox.groups import limits_of_sandboxes; print(limits_of_sandboxes().sentence)",
    ]
    said = [
        subprocess.run(ask, env=environment, user=NOBODYS, capture_output=True, check=True).stdout
        for _ in range(3)
    ]
    assert said[0] == said[1] == said[2]
    assert said[0]


@needs_groups
def test_if_a_group_cannot_be_made_nothing_is_started(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "label", lambda: "no/such/folder")
    with pytest.raises(ToolMissing, match="limits of a sandbox cannot be set"):
        sandbox.run(["/usr/bin/true"])
