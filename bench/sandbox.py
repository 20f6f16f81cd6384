"""The sandbox: a start beside one of bubblewrap alone, and an exchange of lines beside plain pipes.

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

from bench.hog import children_seconds
from contest.config.sections import SandboxSettings
from sandbox.sandbox import Sandbox

STARTS = 100
EXCHANGES = 5_000
SECONDS = 10.0
MAX_LINE_BYTES = 65_536
MAX_START_RATIO = 1.3
TRUE = "/usr/bin/true"
ECHO = ("/usr/bin/cat",)  # writes each line as soon as it has read it
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
    """Print the median time of a line to a program and its line back."""
    with ExitStack() as stack:
        process = stack.enter_context(Sandbox().open(ECHO))
        plain_in, their_stdin, plain_out, their_stdout = *os.pipe()[::-1], *os.pipe()
        plain = stack.enter_context(subprocess.Popen(ECHO, stdin=their_stdin, stdout=their_stdout))
        stack.callback(plain.terminate)
        times: tuple[list[float], list[float]] = ([], [])
        for number in range(EXCHANGES):
            began = time.perf_counter()
            answer = process.ask(f"next {number}", SECONDS).text
            between = time.perf_counter()
            os.write(plain_in, f"next {number}\n".encode())
            echo = os.read(plain_out, MAX_LINE_BYTES)
            ended = time.perf_counter()
            assert answer.encode() + b"\n" == echo, "one of them did not answer"
            times[0].append(between - began)
            times[1].append(ended - between)
    ours, base = (median(values) * 1e6 for values in times)
    print(f"a line in and a line out: {ours:.0f} us   plain pipes {base:.0f} us   ratio {ours / base:.2f}")


def _run_as_user(command: list[str]) -> None:
    """Run it as the user as whom our sandboxes run."""
    user = SandboxSettings().user_id
    identity: dict[str, Any] = {"user": user, "group": user, "extra_groups": []} if os.geteuid() == 0 else {}
    subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL, cwd="/", **identity)


if __name__ == "__main__":
    main()
