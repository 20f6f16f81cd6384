"""Programs that talk: a start of the sandbox, an exchange of lines; beside bubblewrap and plain
pipes.

Programs whose time is counted stand beside the same programs as the system runs them.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from bench import Bench, spent
from compiler.builders.text import TextBuilder
from contest.games.game import TextProtocol
from knobeln import presets
from sandbox.fuel import engine
from sandbox.fuel.program import FuelProgram
from sandbox.players.fuel import FuelPlayer
from sandbox.sandbox import USER, Sandbox
from tournament.runners import open_runner

STARTS, EXCHANGES, RUNS = 100, 500, 9
TRUE = "/usr/bin/true"
ECHO = ("/usr/bin/cat",)  # writes each line as soon as it has read it
LINE = "next 17"
# What a person would write who wants a program without network, files of others and writable
# system.
BUBBLEWRAP = (
    "bwrap",
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    "--clearenv",
    "--ro-bind",
    "/usr",
    "/usr",
    "--symlink",
    "usr/bin",
    "/bin",
    "--symlink",
    "usr/lib",
    "/lib",
    "--symlink",
    "usr/lib64",
    "/lib64",
    "--dev",
    "/dev",
    "--tmpfs",
    "/work",
    "--chdir",
    "/work",
    "--",
    "prlimit",
    "--cpu=10",
    f"--as={1 << 29}",
    "--nproc=16",
    "--nofile=64",
    "--core=0",
    TRUE,
)


def sandbox(bench: Bench) -> None:
    how: dict[str, Any] = (
        {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}
    )
    alone = partial(
        subprocess.run, BUBBLEWRAP, check=True, stdin=subprocess.DEVNULL, cwd="/", **how
    )
    ways = {
        "ours": lambda: spent(lambda: Sandbox().run([TRUE])),
        "bubblewrap alone": lambda: spent(alone),
    }
    bench.compare("a sandbox, from start to end", STARTS, ways)
    with on_one_core(), Sandbox().open(ECHO) as boxed:
        exchange(
            bench, "a line to a program and its line back", lambda: boxed.ask(LINE, 10.0).text, ECHO
        )


@contextmanager
def on_one_core() -> Iterator[None]:
    """All that is started in it shares a core, as on a contest day, when no core is idle.

    To wake an idle core of a virtual machine takes longer than the exchange of two lines.
    """
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def exchange(bench: Bench, stage: str, ours: Callable[[], str], command: Sequence[str]) -> None:
    """Compare this way to send LINE to a program and to get a line back with plain pipes."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as bare:
        answers = {"ours": ours, "plain pipes": lambda: _ask(bare, LINE)}

        def talk(answer: Callable[[], str]) -> None:
            for _ in range(EXCHANGES):
                assert answer() == LINE

        ways = {name: lambda a=answer: spent(lambda: talk(a)) for name, answer in answers.items()}
        bench.compare(stage, RUNS, ways, EXCHANGES)


def _ask(program: subprocess.Popen[bytes], text: str) -> str:
    """Send a line through plain pipes; the line that comes back."""
    assert program.stdin
    assert program.stdout
    os.write(program.stdin.fileno(), f"{text}\n".encode())
    line = b""
    while not line.endswith(b"\n"):
        line += os.read(program.stdout.fileno(), 65_536)
    return line.decode().strip()


# --- programs whose time is counted ---------------------------------------------------------------
UNITS = 1_000_000_000_000


class Sample(NamedTuple):
    """A language: how the system runs {program}, what computes so many rounds, and what answers
    lines."""

    peer: str
    suffix: str
    native: tuple[str, ...]
    rounds: int
    computes: str
    echoes: str = ""


FLOATING_POINT = Sample(
    "gcc -O2",
    "c",
    ("{folder}/program",),
    30_000_000,
    r"""
#include <stdio.h>
#include <stdlib.h>
static double seen[64];
int main(int count, char **words) {
    double x = 0.1, y = 0.2;
    for (int round = atoi(words[1]); round > 0; round--) {
        double next = x * x - y * y + 0.3;
        y = 2 * x * y + 0.01;
        x = next * next + y * y > 4 ? 0.1 * next : next;
        seen[round % 64] += x * y - 0.25 * seen[(round + 7) % 64];
    }
    printf("%.6f\n", seen[0]);
}
""",
)
SAMPLES = {
    "C": Sample(
        peer="gcc -O2",
        suffix="c",
        native=("{folder}/program",),
        rounds=4_000,
        computes=r"""
#include <stdio.h>
#include <stdlib.h>
static unsigned heap[4096], marks[4096], seed = 1, sum;
static void sift(unsigned at, unsigned size) {
    for (unsigned child; (child = 2 * at + 1) < size; at = child) {
        if (child + 1 < size && heap[child + 1] > heap[child]) child++;
        if (heap[at] >= heap[child]) return;
        unsigned smaller = heap[at]; heap[at] = heap[child]; heap[child] = smaller;
    }
}
int main(int count, char **words) {
    for (int round = atoi(words[1]); round > 0; round--) {
        for (unsigned at = 0; at < 4096; at++)
            marks[at] = heap[at] = (seed = seed * 1664525u + 1013904223u) >> 8;
        for (unsigned at = 4096 / 2; at-- > 0;) sift(at, 4096);
        for (unsigned size = 4096; --size > 3000; sift(0, size)) heap[0] = heap[size];
        for (unsigned at = 1; at < 4096; at++)
            sum += marks[at] ^ marks[(marks[at - 1] + at) % 4096];
        sum += heap[0];
    }
    printf("%u\n", sum);
}
""",
        echoes="#include <stdio.h>\nint main(void) { for (char s[99]; fgets(s, 99, stdin);"
        " fflush(stdout)) fputs(s, stdout); }\n",
    ),
    "Python": Sample(
        peer="the system's Python",
        suffix="py",
        native=("/usr/bin/python3", "{program}"),
        rounds=1_000_000,
        computes="""
import sys
found, seed = {}, 1
for number in range(int(sys.argv[1])):
    seed = (seed * 1664525 + 1013904223) % 4294967296
    found[seed % 997] = found.get(seed % 991, 0) + number
print(sum(found.values()))
""",
        echoes="import sys\nfor line in sys.stdin:\n    print(line.strip(), flush=True)\n",
    ),
    "JavaScript": Sample(
        peer="node",
        suffix="js",
        native=("node", "{program}"),
        rounds=300_000,
        computes="""
let found = new Map(), seed = 1;  // keys are strings: docs/javascript.md says why
for (let number = 0; number < process.argv[2]; number++) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  found.set(`${seed % 997}`, (found.get(`${seed % 991}`) ?? 0) + number);
}
console.log([...found.values()].reduce((sum, value) => sum + value, 0));
""",
        echoes='require("readline").createInterface({ input: process.stdin }).on("line", (l) =>'
        " console.log(l));\n",
    ),
}


def counted(bench: Bench) -> None:
    if not engine.is_installed():
        print("| programs whose time is counted | left out: the engine is not installed here | | |")
        return
    for name, sample in {**SAMPLES, "C, floating point": FLOATING_POINT}.items():
        with tempfile.TemporaryDirectory() as folder:
            _compare_counted(bench, name, sample, Path(folder))


def _compare_counted(bench: Bench, name: str, sample: Sample, folder: Path) -> None:
    language = name.partition(",")[0]
    native = _native(sample, sample.computes, folder)
    with closing(_player(language, sample, sample.computes, TextProtocol.ARGV)) as player:

        def count(rounds: int) -> str:
            player.begin(b"")
            return str(player.move((rounds,)))

        def run(rounds: int) -> str:
            done = subprocess.run(
                [*native, str(rounds)], check=True, capture_output=True, text=True
            )
            return done.stdout.strip()

        assert count(sample.rounds) == run(sample.rounds), "the two ways compute different results"
        for stage, rounds in (("a new start", 1), ("tables and loops", sample.rounds)):
            counters = {"ours": partial(count, rounds), sample.peer: partial(run, rounds)}
            ways = {way: partial(spent, work) for way, work in counters.items()}
            bench.compare(f"{name}, counted: {stage}", RUNS, ways)
    if not sample.echoes:
        return
    with (
        on_one_core(),
        closing(_player(language, sample, sample.echoes, TextProtocol.STDIO)) as player,
    ):
        player.begin(b"")
        stage = f"{language}, counted: a line and its line back"
        exchange(
            bench,
            stage,
            lambda: str(player.move(tuple(LINE.split()))),
            _native(sample, sample.echoes, folder),
        )


def _player(language: str, sample: Sample, source: str, protocol: TextProtocol) -> FuelPlayer:
    chosen = presets.settings("cooperation", datetime.now(UTC))
    counted = chosen.changed(programs={"counted_languages": (language,), "description": "none"})
    built = TextBuilder(counted, open_runner).build(
        {f"program.{sample.suffix}": source.encode()}, "", with_trial=False
    )
    assert isinstance(built.image, FuelProgram), built.report.findings
    return FuelPlayer(built.image, Sandbox(), protocol, UNITS, 1_000 * UNITS)


def _native(sample: Sample, source: str, folder: Path) -> list[str]:
    """How the system runs it; C is compiled first."""
    program = folder / f"program.{sample.suffix}"
    program.write_text(source)
    if sample.suffix == "c":
        subprocess.run(["gcc", "-O2", str(program), "-o", str(folder / "program")], check=True)
    return [word.format(program=program, folder=folder) for word in sample.native]
