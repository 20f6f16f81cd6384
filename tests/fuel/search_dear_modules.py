"""Searches for modules that take long for few units.

`python tests/fuel/search_dear_modules.py SECONDS [SEED]` prints nanoseconds of processor time for a
unit, of the ten worst. What it finds belongs into `DEAR` (test_dear_modules.py).
"""

import signal
import subprocess
import sys
from itertools import count
from time import monotonic, thread_time_ns
from typing import Any

from sandbox.fuel.counting.counted import LEFT, units_left, with_units
from sandbox.fuel.worker.compile import with_counter
from sandbox.fuel.worker.limits import engine
from tests.support.dear_modules import drawn, made

MEMORY_BYTES = 16 * 1024 * 1024
UNITS = 10**12
MIN_NANOSECONDS = 30_000_000  # of a call that tells something
MAX_SECONDS = 60  # of processor time, of one module with its compilation
MAX_TIMES = 2**31 - 1


def main(seconds: int, first_seed: int = 0) -> None:
    worst: list[tuple[float, str]] = []
    end = monotonic() + seconds
    for seed in count(first_seed):
        if monotonic() > end:
            return
        found = measured_alone(seed)
        if found is None:
            continue
        worst = sorted([*worst, (found, f"{seed}: {drawn(seed)}")], reverse=True)[:10]
        if any(line.startswith(f"{seed}:") for _, line in worst):
            print(f"{found:8.2f} ns a unit, seed {seed}: {drawn(seed)}", flush=True)


def measured_alone(seed: int) -> float | None:
    """In a process of its own. None if it takes too long, or ends in a trap."""
    command = ["prlimit", f"--cpu={MAX_SECONDS}", sys.executable, __file__, "one", str(seed)]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        print(f"seed {seed} takes more than {MAX_SECONDS} s: {drawn(seed)}", flush=True)
    return float(done.stdout) if done.returncode == 0 else None


def measured(text: str) -> float:
    """Nanoseconds of processor time for a unit: the least of three calls that take long enough."""
    from wasmtime import Instance, Module, Store, Val, wat2wasm

    store = Store(engine())
    module = Module(store.engine, with_counter(bytes(wat2wasm(text)), MEMORY_BYTES))
    exports: Any = Instance(store, module, []).exports(store)
    counter = exports[LEFT]

    def call(times: int) -> tuple[int, int]:
        counter.set_value(store, Val.i64(with_units(counter.value(store), UNITS)))
        begin = thread_time_ns()
        exports["f"](store, times)
        return thread_time_ns() - begin, UNITS - units_left(counter.value(store))

    times, taken = 1, 0
    while taken < MIN_NANOSECONDS and times < MAX_TIMES:
        times = min(4 * times, MAX_TIMES)
        taken, _ = call(times)
    return min(taken / units for taken, units in (call(times) for _ in range(3)))


if __name__ == "__main__":
    if sys.argv[1] == "one":
        print(measured(made(*drawn(int(sys.argv[2])))))
    else:
        main(*map(int, sys.argv[1:]))
