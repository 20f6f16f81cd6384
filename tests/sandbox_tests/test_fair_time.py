"""Time that is fair: paused from answer to question, counted by processor time, on a host that is
busy.

All of it in every way in which this host can stop and count the processes of a sandbox.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager

import pytest

from sandbox import bubblewrap, groups
from sandbox.process import AnswerKind, SandboxedProcess
from sandbox.sandbox import Limits, Sandbox
from tests.support.servers import wait_for

# It and its children and threads work on and on, and it answers each line at once.
SPINS_ON = """
import os, sys, threading
def spin():
    while True: pass
for _ in range(CHILDREN):
    if os.fork() == 0:
        os.setsid()
        spin()
threading.Thread(target=spin, daemon=True).start()
for line in sys.stdin:
    print("yes", flush=True)
"""
# Answers with the processor time that it has used for this answer as it counts itself.
HONEST = """
import sys, time
for line in sys.stdin:
    start, n = time.process_time(), 0
    while n < ROUNDS: n += 1
    print(time.process_time() - start, flush=True)
"""
CHILDREN_WORK = """
import os, sys
for line in sys.stdin:
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            n = 0
            while n < 30_000_000: n += 1
            os._exit(0)
    for _ in range(3): os.wait()
    print("done", flush=True)
"""
CONTINUES_ITSELF = """
import os, signal, sys
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        while True:
            try: os.kill(-1, signal.SIGCONT)
            except OSError: pass
for line in sys.stdin:
    print("yes", flush=True)
"""
SECONDS = 1.0
PROCESSES = 24


def place_of_groups_without_a_freezer():
    place, reason = groups._found()
    if place is None or place.dialect is not groups._V1:
        pytest.skip(reason or "only v1 may lack a freezer that can be used")
    above = {name: folder for name, folder in place.above.items() if name != groups._FREEZER}
    return groups._Place(place.dialect, above, place.own)


@contextmanager
def no_group(limits):
    yield None


@pytest.fixture(params=["group", "group of v1 alone", "tree"])
def sandbox(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    """A sandbox whose processes are stopped and counted in one of the ways."""
    if request.param == "tree":
        monkeypatch.setattr(bubblewrap, "group", no_group)
    elif request.param == "group of v1 alone":
        place = place_of_groups_without_a_freezer()
        monkeypatch.setattr(groups, "_found", lambda: (place, ""))
    elif not groups.limits_of_sandboxes().whole:
        pytest.skip(groups.limits_of_sandboxes().sentence)
    return Sandbox()


@pytest.fixture
def start(sandbox: Sandbox):
    with ExitStack() as stack:

        def start_one(code, **values):
            for name, value in values.items():
                code = code.replace(name, str(value))
            command = ["/usr/bin/python3", "-u", "-c", code]
            limits = Limits(processes=PROCESSES, cpu_seconds=60)
            return stack.enter_context(sandbox.open(command, limits=limits))

        yield start_one


@pytest.fixture
def busy():
    """Every processor of this host has as much to do as it can have without us."""
    with ExitStack() as stack:
        for _ in range(2 * (os.cpu_count() or 1)):
            spinner = stack.enter_context(
                subprocess.Popen([sys.executable, "-c", "while True: pass"])
            )
            stack.callback(spinner.kill)
        yield


def rests(spinner: SandboxedProcess) -> bool:
    used = spinner.usage().cpu_seconds
    time.sleep(0.15)  # in which two processors would work for 0.3 s
    return spinner.usage().cpu_seconds - used < 0.05


@pytest.mark.parametrize("code", [SPINS_ON.replace("CHILDREN", "13"), CONTINUES_ITSELF])
def test_nobody_goes_on_between_an_answer_and_the_next_question(
    start: Callable[..., SandboxedProcess], code: str
) -> None:
    spinner = start(code)
    for _ in range(2):  # the first process inside leaves a group with the second question
        assert spinner.ask("", 20).text == "yes"
        wait_for(lambda: rests(spinner))  # a busy host needs some time to stop all of them
    assert spinner.ask("", 20).text == "yes"


def test_only_the_command_is_stopped(sandbox: Sandbox) -> None:
    with sandbox.open(["/bin/sh", "-c", "while read -r line; do echo $line; done"]) as process:
        assert [process.ask(word, 20).text for word in ("one", "two")] == ["one", "two"]
        group, first_process = process._sandbox._group, process._sandbox._status_field("child-pid")
        if group is None or not group.can_pause:
            pytest.skip("no group is stopped here")
        (command,) = group._threads()
        assert int(command) != first_process


@pytest.mark.slow
@pytest.mark.usefixtures("busy")
def test_an_honest_program_is_in_time_beside_a_spinner_on_a_busy_host(
    start: Callable[..., SandboxedProcess],
) -> None:
    honest, spinner = start(HONEST, ROUNDS=rounds_for(0.4 * SECONDS)), start(SPINS_ON, CHILDREN=13)
    assert honest.ask("", 30).kind is AnswerKind.LINE  # with its start
    for _ in range(8):
        assert spinner.ask("", 30).kind is AnswerKind.LINE
        answer = honest.ask("", SECONDS)
        assert answer.kind is AnswerKind.LINE, answer.text
        # A busy processor needs longer for the same work. What we count is what the program counts
        # itself.
        assert 0.95 < answer.seconds / float(answer.text) < 1.15


def rounds_for(seconds: float) -> int:
    """How many rounds of the honest program's loop take so long on this host."""
    command = ["/usr/bin/python3", "-u", "-c", HONEST.replace("ROUNDS", "5_000_000")]
    with Sandbox().open(command, limits=Limits(cpu_seconds=60)) as process:
        return int(5_000_000 * seconds / float(process.ask("", 30).text))


def test_the_time_of_children_counts(start: Callable[..., SandboxedProcess]) -> None:
    answer = start(CHILDREN_WORK).ask("", 0.5)
    assert answer.kind is AnswerKind.LATE
    assert answer.seconds > 0.5


def test_a_stopped_sandbox_can_be_ended(start: Callable[..., SandboxedProcess]) -> None:
    asked = start(SPINS_ON, CHILDREN=3)
    asked.ask("", 20)
    began = time.monotonic()
    asked.close()
    assert time.monotonic() - began < 30


WORKS = """
import sys, time
for line in sys.stdin:
    begin = time.process_time()
    while time.process_time() - begin < float(line): pass
    print("done", flush=True)
"""
SLEEPS = """
import sys, threading, time
def doze():
    while True: time.sleep(0.01)
threading.Thread(target=doze, daemon=True).start()
for line in sys.stdin:
    time.sleep(600)
"""


@pytest.fixture
def overloaded():
    """Eight others want each processor; each is in a session, which the kernel treats alike."""
    with ExitStack() as stack:
        for _ in range(8 * (os.cpu_count() or 1)):
            command = [sys.executable, "-c", "while True: pass"]
            spinner = stack.enter_context(subprocess.Popen(command, start_new_session=True))
            stack.callback(spinner.kill)
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("overloaded")
def test_who_waits_for_a_processor_is_not_late_and_who_sleeps_is(
    start: Callable[..., SandboxedProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.process.sleep_seconds", lambda _: 0.3)
    worker, sleeper = start(WORKS), start(SLEEPS)
    begin = time.monotonic()
    assert worker.ask("1.8", 2).text == "done"
    assert time.monotonic() - begin > 1.8 + 3 * 0.3  # it has waited for longer than it may sleep
    begin = time.monotonic()
    assert sleeper.ask("", 2).kind is AnswerKind.LATE
    assert time.monotonic() - begin < 20
