"""Sandboxes whose makers were killed at the worst moment are ended by the next maker, and no others
are."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox import leftovers
from sandbox.sandbox import Sandbox
from tests.support.machine_programs import ROOT

HEAD = f"""
import os, signal, subprocess, sys, time
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from sandbox import bubblewrap
from sandbox.self_test import empty_root
from sandbox.sandbox import Sandbox
def stop(*_):
    print("here", flush=True)
    time.sleep(600)
"""
IN_SET_UP = """
bubblewrap.BubblewrapSandbox._release_with_limits = stop  # the first one waits at the gate
with empty_root(Path(sys.argv[1])) as root:
    Sandbox().open(["/nothing"], root=root)
"""
BEFORE_THE_PID = """
bubblewrap.BubblewrapSandbox._open_first_process = stop
Sandbox().open(["/usr/bin/sleep", "500"])
"""
AT_WORK = """
with Sandbox().open(["/usr/bin/sleep", "500"]):
    stop()
"""
WHEN = ("in set-up", "before its process is known", "at work")


def boxes_of(maker: int) -> set[int]:
    """The processes with the label of this maker."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            name = path.read_bytes().partition(b"\0")[0].decode(errors="replace")
        except OSError:
            continue
        if name.startswith("knobeln-box-") and name.split("-")[3] == str(maker):
            found.add(int(path.parent.name))
    return found


@pytest.fixture
def maker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)  # for the user of the sandboxes
    command = [sys.executable, "-c", HEAD + request.param, str(tmp_path / "cache")]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "here\n"
        yield process
        process.kill()


def wait_for_boxes(maker: int, count: int) -> set[int]:
    end = time.monotonic() + 20
    while len(found := boxes_of(maker)) != count:
        assert time.monotonic() < end, found
        time.sleep(0.02)
    return found


@pytest.mark.parametrize("maker", [IN_SET_UP, BEFORE_THE_PID, AT_WORK], indirect=True, ids=WHEN)
def test_the_box_of_a_living_maker_stays(maker: subprocess.Popen[str]) -> None:
    boxes = wait_for_boxes(maker.pid, 2)
    leftovers.sweep()
    assert boxes_of(maker.pid) == boxes


@pytest.mark.parametrize("maker", [IN_SET_UP, BEFORE_THE_PID, AT_WORK], indirect=True, ids=WHEN)
def test_nothing_is_left_after_the_next_box_of_a_new_process(maker: subprocess.Popen[str]) -> None:
    maker.kill()
    maker.wait()
    fresh = [sys.executable, "-c", HEAD + "print(Sandbox().run(['/usr/bin/true']).succeeded)"]
    assert subprocess.run(fresh, capture_output=True, text=True, check=True).stdout == "True\n"
    wait_for_boxes(maker.pid, 0)


@pytest.mark.parametrize("maker", [IN_SET_UP], indirect=True, ids=WHEN[:1])
def test_a_first_process_that_lost_bubblewrap_and_its_maker_is_ended(
    maker: subprocess.Popen[str],
) -> None:
    bubblewrap, first = sorted(wait_for_boxes(maker.pid, 2))
    os.kill(bubblewrap, signal.SIGKILL)
    maker.kill()
    maker.wait()
    time.sleep(0.2)
    # bubblewrap itself does not end it; others here may sweep, too
    assert boxes_of(maker.pid) <= {first}
    leftovers.sweep()
    wait_for_boxes(maker.pid, 0)


def test_a_process_with_the_label_of_another_namespace_is_left_alone() -> None:
    name = f"knobeln-box-{os.stat('/proc/self/ns/pid').st_ino + 1}-1-1"
    with subprocess.Popen([name, "60"], executable="/usr/bin/sleep") as process:
        leftovers.sweep()
        assert process.poll() is None
        process.kill()


def test_a_foreign_program_does_not_have_the_label() -> None:
    assert Sandbox().run(["/usr/bin/tr", "\\0", " "], stdin=b"x").succeeded
    with Sandbox().open(["/usr/bin/sleep", "60"]):
        wait_for_boxes(os.getpid(), 2)  # bubblewrap and the first process
        time.sleep(0.2)
        assert len(boxes_of(os.getpid())) == 2
