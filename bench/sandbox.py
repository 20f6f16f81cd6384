"""The sandbox: a start beside one of bubblewrap alone, an exchange of lines beside plain pipes, and a move of
a Python function beside a bare fork of an interpreter.

All ways take turns in one run, because other work on the host slows down each of them.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from statistics import median
from typing import Any

from bench.timing import children_seconds
from compiler.languages import Problem, build
from contest.config.sections import SandboxSettings
from sandbox.players.function import FunctionPlayer
from sandbox.sandbox import Sandbox

STARTS = 100
EXCHANGES = 5_000
SECONDS = 10.0
MAX_LINE_BYTES = 65_536
MAX_START_RATIO = 1.3
MAX_EXCHANGE_RATIO = 1.5
MOVES = 300
MAX_MOVE_MS = 5.0  # more than a bare fork
TRUE = "/usr/bin/true"
ECHO = ("/usr/bin/cat",)  # writes each line as soon as it has read it
FUNCTION = b"import random\n\ndef get_move(number):\n    return number\n"
FORK = """
import os, random, sys
for line in sys.stdin:
    if os.fork() == 0:
        print(int(line), flush=True)
        os._exit(0)
    os.wait()
"""
# What a person would write who wants a program without network, files of others and writable system.
BUBBLEWRAP = (
    *("bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"),
    *("--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib"),
    *("--symlink", "usr/lib64", "/lib64", "--dev", "/dev", "--tmpfs", "/work", "--chdir", "/work"),
)
PRLIMIT = ("prlimit", "--cpu=10", f"--as={1 << 29}", "--nproc=16", "--nofile=64", "--core=0")


def main() -> None:
    report_start()
    report_exchange()
    report_move()


def report_start() -> None:
    """Print how long it takes from nothing to the end of a program that does nothing, and the processor time.

    On a busy host the latter is the steadier one: each wait for a process becomes a wait for a processor.
    """
    sandbox = Sandbox()
    alone = [*BUBBLEWRAP, "--", *PRLIMIT, TRUE]
    ways: tuple[Callable[[], object], ...] = (lambda: sandbox.run([TRUE]), lambda: _run_as_user(alone))
    seconds: tuple[list[float], ...] = ([], [])
    processor_seconds: tuple[list[float], ...] = ([], [])
    for _ in range(STARTS):
        for way, start in enumerate(ways):
            began, used = time.perf_counter(), time.process_time() + children_seconds()
            start()
            seconds[way].append(time.perf_counter() - began)
            processor_seconds[way].append(time.process_time() + children_seconds() - used)
    for what, times in (("from start to end", seconds), ("processor time", processor_seconds)):
        ours, base = (median(values) * 1e3 for values in times)
        print(f"a sandbox, {what}: {ours:.1f} ms   bubblewrap alone {base:.1f} ms", end="")
        print(f"   ratio {ours / base:.2f} (at most {MAX_START_RATIO})")


def report_exchange() -> None:
    """Print the median time of a line to a program and its line back; and what it costs to stop it."""
    with ExitStack() as stack:
        stopped, unstopped = (stack.enter_context(Sandbox().open(ECHO)) for _ in range(2))
        unstopped._sandbox.pause = unstopped._sandbox.resume = lambda: None  # type: ignore[method-assign]
        plain_in, their_stdin, plain_out, their_stdout = *os.pipe()[::-1], *os.pipe()
        plain = stack.enter_context(subprocess.Popen(ECHO, stdin=their_stdin, stdout=their_stdout))
        stack.callback(plain.terminate)

        def exchange(line: str) -> str:
            os.write(plain_in, f"{line}\n".encode())
            return os.read(plain_out, MAX_LINE_BYTES).decode().rstrip()

        ways: tuple[Callable[[str], str], ...] = (
            lambda line: stopped.ask(line, SECONDS).text,
            lambda line: unstopped.ask(line, SECONDS).text,
            exchange,
        )
        times: tuple[list[float], ...] = ([], [], [])
        for number in range(EXCHANGES):
            for way, found in zip(ways, times, strict=True):
                began = time.perf_counter()
                assert way(f"next {number}") == f"next {number}"
                found.append(time.perf_counter() - began)
    ours, without, base = (median(values) * 1e6 for values in times)
    print(f"a line in and a line out: {ours:.0f} us, {ours - without:.0f} us of it to stop and go on", end="")
    print(f"   plain pipes {base:.0f} us", end="")
    print(f"   ratio {ours / base:.2f}, without the stop {without / base:.2f} (at most {MAX_EXCHANGE_RATIO})")


def report_move() -> None:
    """Print the median time of a Python function's move, and of an interpreter that forks for each line."""
    sandbox = Sandbox()
    program = build({"echo.py": FUNCTION}, sandbox)
    assert not isinstance(program, Problem), "the function was refused"
    with ExitStack() as stack:
        player = FunctionPlayer(program, sandbox, SECONDS)
        stack.callback(player.close)
        player.begin()
        player.move((0,))  # starts the sandbox
        bare = stack.enter_context(sandbox.open([program.command[0], "-c", FORK]))
        bare.ask("0", SECONDS)
        times: tuple[list[float], list[float]] = ([], [])
        for number in range(MOVES):
            began = time.perf_counter()
            move = player.move((number,))
            between = time.perf_counter()
            forked = bare.ask(str(number), SECONDS).text
            ended = time.perf_counter()
            assert move == forked == str(number), "one of them did not answer"
            times[0].append(between - began)
            times[1].append(ended - between)
    ours, base = (median(values) * 1e3 for values in times)
    print(f"a move of a Python function: {ours:.2f} ms   a bare fork {base:.2f} ms", end="")
    print(f"   more by {ours - base:.2f} ms (at most {MAX_MOVE_MS:g})")


def _run_as_user(command: list[str]) -> None:
    """Run it as the user as whom our sandboxes run."""
    user = SandboxSettings().user_id
    identity: dict[str, Any] = {"user": user, "group": user, "extra_groups": []} if os.geteuid() == 0 else {}
    subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL, cwd="/", **identity)


if __name__ == "__main__":
    main()
