"""The start of a sandbox with its control group, beside the same sandbox without one and bwrap alone.

All three run the same program with the same options of bwrap. They take turns, so other work on the host
slows them alike.
"""

from __future__ import annotations

import os
import subprocess
import time
from statistics import median
from unittest.mock import patch

from sandbox import bubblewrap, groups
from sandbox.limits import Limits
from sandbox.sandbox import Sandbox

RUNS = 200
MAX_RATIO = 1.3
PROGRAM = "/usr/bin/true"


def main() -> None:
    limits = groups.limits_of_sandboxes()
    print(limits.sentence)
    if not limits.whole:
        return
    sandbox = Sandbox()
    rounds = [(bwrap_alone(sandbox), without_group(sandbox), seconds(sandbox)) for _ in range(RUNS)]
    bare, ungrouped, grouped = (median(times) * 1e3 for times in zip(*rounds, strict=True))
    print(f"start and end of a sandbox: {grouped:.1f} ms", end="")
    print(f"   without its group {ungrouped:.1f} ms, ratio {grouped / ungrouped:.2f}", end="")
    print(f"   bwrap alone {bare:.1f} ms, ratio {grouped / bare:.2f} (at most {MAX_RATIO})")


def seconds(sandbox: Sandbox) -> float:
    start = time.perf_counter()
    sandbox.run([PROGRAM])
    return time.perf_counter() - start


def without_group(sandbox: Sandbox) -> float:
    with patch.object(groups, "_found", lambda: (None, "measured")):
        return seconds(sandbox)


def bwrap_alone(sandbox: Sandbox) -> float:
    start = time.perf_counter()
    read_end, write_end = os.pipe()
    options = bubblewrap._options({}, bubblewrap.Contents(), Limits(), write_end)
    subprocess.run(
        ["bwrap", *options, "--", "/usr/bin/prlimit", "--core=0", PROGRAM],
        pass_fds=(write_end,),
        check=True,
        cwd="/",
        user=sandbox.user,
        group=sandbox.user,
        extra_groups=None if sandbox.user is None else [],
    )
    os.close(read_end)
    os.close(write_end)
    return time.perf_counter() - start
