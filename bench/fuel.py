"""Programs whose time is counted, beside the same programs as the system runs them.

What counting costs a program that computes, what a new start costs, and an exchange of lines. All ways take
turns in one run, and every figure is a median.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from compiler.builders.text import TextBuilder
from contest import presets
from contest.games.base import TextProtocol
from sandbox.fuel import engine
from sandbox.fuel.program import FuelProgram
from sandbox.players.fuel import FuelPlayer
from sandbox.sandbox import Sandbox
from tournament.runners import open_runner

RUNS = 7
STARTS = 100
EXCHANGES = 2_000
UNITS = 1_000_000_000_000
MAX_C_RATIO = 1.4
MAX_EXCHANGE_RATIO = 3.0
LINE = b"next 17\n"


class Sample(NamedTuple):
    """A language; what computes for some tenths of a second if its argument is large, and what answers lines.

    `native`: how the system runs {program}, with C compiled before. `max_start_ms`: 0 = no limit.
    """

    language: str
    suffix: str
    native: tuple[str, ...]
    computes: str
    rounds: int
    echoes: str
    max_start_ms: float = 0.0


_ECHO_IN_C = (
    "#include <stdio.h>\nint main(void) { char line[99]; while (fgets(line, 99, stdin)) "
    "{ fputs(line, stdout); fflush(stdout); } return 0; }\n"
)

SAMPLES = (
    Sample(
        "C",
        "c",
        ("{folder}/program",),
        """
#include <stdio.h>
#include <stdlib.h>
static unsigned heap[4096], marks[4096];
static void sift(unsigned *a, unsigned at, unsigned size) {
    for (unsigned child; (child = 2 * at + 1) < size; at = child) {
        if (child + 1 < size && a[child + 1] > a[child]) child++;
        if (a[at] >= a[child]) return;
        unsigned other = a[at]; a[at] = a[child]; a[child] = other;
    }
}
int main(int count, char **words) {
    unsigned seed = 1, sum = 0;
    for (int round = atoi(words[1]); round > 0; round--) {
        for (unsigned at = 0; at < 4096; at++) {
            seed = seed * 1664525u + 1013904223u;
            heap[at] = marks[at] = seed >> 8;
        }
        for (unsigned at = 4096 / 2; at-- > 0;) sift(heap, at, 4096);
        for (unsigned size = 4096; --size > 3000;) { heap[0] = heap[size]; sift(heap, 0, size); }
        for (unsigned at = 1; at < 4096; at++) sum += marks[at] ^ marks[(marks[at - 1] + at) % 4096];
        sum += heap[0];
    }
    printf("%u\\n", sum);
    return 0;
}
""",
        4_000,
        _ECHO_IN_C,
    ),
    Sample(
        "C, floating point",
        "c",
        ("{folder}/program",),
        """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static double x[64], y[64], u[64], v[64];
int main(int count, char **words) {
    for (int at = 0; at < 64; at++) { x[at] = at % 8; y[at] = at / 8; }
    for (int round = atoi(words[1]); round > 0; round--) {
        for (int at = 0; at < 64; at++) {
            for (int other = 0; other < 64; other++) {
                double dx = x[other] - x[at], dy = y[other] - y[at], square = dx * dx + dy * dy + 0.01;
                double pull = 1e-4 / (square * sqrt(square));
                u[at] += dx * pull; v[at] += dy * pull;
            }
        }
        for (int at = 0; at < 64; at++) { x[at] += u[at] * 1e-3; y[at] += v[at] * 1e-3; }
    }
    printf("%.6f\\n", x[7] + y[9]);
    return 0;
}
""",
        3_000,
        "",
    ),
    Sample(
        "Python",
        "py",
        ("/usr/bin/python3", "{program}"),
        """
import sys

def main(rounds):
    found, seed = {}, 1
    for number in range(rounds):
        seed = (seed * 1664525 + 1013904223) % 4294967296
        found[seed % 997] = found.get(seed % 991, 0) + number
        if number % 1000 == 0:
            found = dict(sorted(found.items(), key=lambda pair: pair[1]))
    return sum(found.values())

print(main(int(sys.argv[1])))
""",
        1_000_000,
        "import sys\nfor line in sys.stdin:\n    print(line.strip(), flush=True)\n",
        5.0,
    ),
    Sample(
        "JavaScript",
        "js",
        ("node", "{program}"),
        """
let found = new Map(), seed = 1;
const rounds = Number(process.argv[2]);  // keys are strings: docs/javascript.md says why
for (let number = 0; number < rounds; number++) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  found.set(`${seed % 997}`, (found.get(`${seed % 991}`) ?? 0) + number);
  if (number % 1000 === 0) found = new Map([...found].sort((a, b) => a[1] - b[1]));
}
console.log([...found.values()].reduce((sum, value) => sum + value, 0));
""",
        300_000,
        'require("readline").createInterface({ input: process.stdin }).on("line", (l) => console.log(l));\n',
        3.0,
    ),
)


def main() -> None:
    if not engine.is_installed():
        print("programs whose time is counted: the engine is not installed here")
        return
    for sample in SAMPLES:
        report(sample)


def report(sample: Sample) -> None:
    computes = _built(sample, sample.computes)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        player = FuelPlayer(computes, Sandbox(), TextProtocol.ARGV, UNITS, UNITS * 1_000)
        stack.callback(player.close)
        native = _native(sample, sample.computes, folder)

        def count(rounds: int) -> str:
            player.begin(b"")
            return str(player.move((rounds,)))

        def run(rounds: int) -> str:
            return subprocess.run(
                [*native, str(rounds)], check=True, capture_output=True, text=True
            ).stdout.strip()

        assert count(sample.rounds) == run(sample.rounds), "the two ways compute different results"
        ways = tuple([(way, list[float](), list[float]()) for way in (count, run)])
        for _ in range(RUNS):
            for way, short, long in ways:
                short.append(_seconds(partial(way, 1)))
                long.append(_seconds(partial(way, sample.rounds)))
        counted, bare = (median(long) - median(short) for _, short, long in ways)
        limit = f" (at most {MAX_C_RATIO})" if sample.language == "C" else ""
        units = player.usage().answer_fuel[-1]
        print(f"{sample.language}, counted: {counted:.3f} s   {native[0]} {bare:.3f} s", end="")
        print(f"   ratio {counted / bare:.2f}{limit}   {counted / units * 1e9:.3f} ns a unit")
        starts = median(_seconds(lambda: count(1)) for _ in range(STARTS)) * 1e3
        limit = f" (at most {sample.max_start_ms:g})" if sample.max_start_ms else ""
        print(f"{sample.language}, a new start for a move: {starts:.2f} ms{limit}", end="")
        print(f"   a process of its own {median(ways[1][1]) * 1e3:.1f} ms")
    if sample.echoes:
        report_exchange(sample, _built(sample, sample.echoes))


def report_exchange(sample: Sample, program: FuelProgram) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        player = FuelPlayer(program, Sandbox(), TextProtocol.STDIO, UNITS, UNITS * EXCHANGES)
        stack.callback(player.close)
        player.begin(b"")
        bare = stack.enter_context(
            subprocess.Popen(
                _native(sample, sample.echoes, folder),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
            )
        )
        stack.callback(bare.terminate)
        assert bare.stdin
        assert bare.stdout
        to_it, from_it = bare.stdin.fileno(), bare.stdout.fileno()

        def plain() -> str:
            os.write(to_it, LINE)
            line = b""
            while not line.endswith(b"\n"):
                line += os.read(from_it, 999)
            return line.decode().strip()

        def counted() -> str:
            return str(player.move(("next", 17)))

        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(EXCHANGES):
            for way, found in zip((counted, plain), times, strict=True):
                began = time.perf_counter()
                assert way() == "next 17"
                found.append(time.perf_counter() - began)
    ours, base = (median(values) * 1e6 for values in times)
    print(f"{sample.language}, a line in and a line out: {ours:.0f} us   bare pipes {base:.0f} us", end="")
    print(f"   ratio {ours / base:.2f} (at most {MAX_EXCHANGE_RATIO:g})")


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _built(sample: Sample, source: str) -> FuelProgram:
    chosen = presets.settings("cooperation", datetime.now(UTC))
    programs = chosen.programs.model_copy(update={"clock": "fuel", "description": "none"})
    builder = TextBuilder(chosen.model_copy(update={"programs": programs}), open_runner)
    built = builder.rebuild({f"program.{sample.suffix}": source.encode()}, "")
    assert isinstance(built.image, FuelProgram), built.report.findings
    return built.image


def _native(sample: Sample, source: str, folder: Path) -> list[str]:
    """How the system runs it; C is compiled first."""
    program = folder / f"program.{sample.suffix}"
    program.write_text(source)
    if sample.suffix == "c":
        command = ["gcc", "-O2", str(program), "-o", str(folder / "program"), "-lm"]
        subprocess.run(command, check=True, stdout=sys.stderr)
    return [word.format(program=program, folder=folder) for word in sample.native]


if __name__ == "__main__":
    main()
