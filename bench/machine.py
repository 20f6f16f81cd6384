"""The contest machine against its peer: the same source as unprotected native coroutines in one process.

example.c of 1994, and a strategy that thinks long, each against itself, 1000 throws. Both play the very same
games, with the same random streams and the same referee, and their digests are compared before anything is
timed.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench import heavy_strategy
from bench.timing import children_seconds
from compiler.build import build
from compiler.toolchain import Toolchain
from contest.config.sections import Programs
from contest.games.knobeln import Rules
from contest.model import GameJob
from contest.seeds import Seeds
from contest.subprocesses.c_programs import c_compiler
from contest.subprocesses.engine_connection import EngineAnswer
from sandbox.sandbox import Sandbox
from sandbox.vm import engine_binary
from sandbox.vm.image import Image
from sandbox.vm.translation import compiled, translations
from tournament.runners.knobeln_batch import Batch
from tournament.runners.machine import KNOBELN_SOURCES, MachineRunner, knobeln_engine

RUNS = 9
ROOT = Path(__file__).parents[1]
PEER = ROOT / "bench" / "native_coroutines"
MAX_INSTRUCTIONS = Programs().max_instructions
LIKE_STRATEGIES = (
    *("-std=gnu89", "-O2", "-w", "-fno-builtin"),
    *("-fwrapv", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks"),
)


@dataclass(frozen=True)
class Subject:
    """A strategy, and how many games it plays against itself."""

    name: str
    source: str
    games: int


@dataclass(frozen=True)
class Peer:
    """A program that plays games. `order`: its input for so many games."""

    name: str
    program: Path
    order: Callable[[int], bytes]

    def seconds(self, games: int) -> float:
        """Return its processor time, so that other work on the host does not count."""
        order = self.order(games)
        before = children_seconds()
        subprocess.run([self.program], input=order, stdout=subprocess.PIPE, check=True)
        return children_seconds() - before


def main() -> None:
    example = (ROOT / "knobellib" / "example.c").read_text()
    compare(Subject("example.c", example, 500))
    compare(Subject("a heavy strategy", heavy_strategy.source(), 20))


def compare(subject: Subject) -> None:
    built = build(subject.source, Programs(description="warn"), Toolchain())
    assert built.image is not None, built.report.findings
    image, started = built.image, time.perf_counter()
    compiled(image, Sandbox())
    spent = time.perf_counter() - started
    jobs = complete_jobs(image, subject.games)
    with tempfile.TemporaryDirectory() as folder:
        machine = Peer("machine", knobeln_engine(), lambda games: _order(image, jobs[:games]))
        native = Peer(
            "native coroutines", build_native(Path(folder), subject), lambda games: _streams(jobs[:games])
        )
        check_same_games(machine, native, image, jobs)
        print(f"{subject.name} against itself, 1000 throws (medians of {RUNS} runs of {len(jobs)} games)")
        print(
            f"  {built.report.elements:,} elements, {len(image.code) // 4:,} instructions, "
            f"translated in {spent:.1f} s"
        )
        report((machine, native), len(jobs))


def complete_jobs(image: Image, games: int) -> list[GameJob]:
    """Return games that go to the end. Sometimes example.c throws a forbidden 0, which ends its game."""
    seeds = Seeds(bytes(32))
    pairs = [(seeds.stream(f"game/{n}/seat/0"), seeds.stream(f"game/{n}/seat/1")) for n in range(2 * games)]
    jobs = [GameJob((image.digest, image.digest), pair) for pair in pairs]
    results = MachineRunner({image.digest: image}, Rules(), MAX_INSTRUCTIONS).play(jobs)
    return [job for job, result in zip(jobs, results, strict=True) if result.is_flawless][:games]


def build_native(folder: Path, subject: Subject) -> Path:
    """Build the peer: the strategy and the library once for each seat, with the engine's referee."""
    compiler, engine = c_compiler(), engine_binary.SOURCES
    strategy = folder / "strategy.c"
    strategy.write_text(subject.source)
    for seat, name in enumerate(("first", "second")):
        names = [f"-DSEAT={seat}", f"-DNAME(x)={name}_##x", f'-DSTRATEGY="{strategy}"']
        program = [str(PEER / "program.c"), "-o", str(folder / f"{name}.o")]
        subprocess.run([compiler, *LIKE_STRATEGIES, *names, "-c", *program], check=True)
    parts = [PEER / "coroutines.c", PEER / "switch.S", KNOBELN_SOURCES / "knobeln.c"]
    parts += [engine / "faults.c", engine / "machine.c"]
    parts += [folder / "first.o", folder / "second.o"]
    target = folder / "coroutines"
    subprocess.run(
        [compiler, *engine_binary.FLAGS, f"-I{engine}", f"-I{KNOBELN_SOURCES}", "-o", target, *parts],
        check=True,
    )
    return target


def check_same_games(machine: Peer, native: Peer, image: Image, jobs: Sequence[GameJob]) -> None:
    answer = EngineAnswer()
    answer.add(_output(machine, len(jobs)))
    results = _batch(image).results(jobs, answer.payload())
    lines = [f"{r.digest} {r.turns} {r.seats[0].points} {r.seats[1].points}" for r in results]
    assert _output(native, len(jobs)).decode().splitlines() == lines, "the two play different games"


def report(peers: tuple[Peer, Peer], games: int) -> None:
    """Print microseconds of processor time per game. The two alternate, so that noise affects both."""
    with_start: dict[str, list[float]] = {peer.name: [] for peer in peers}
    without: dict[str, list[float]] = {peer.name: [] for peer in peers}
    for _run in range(RUNS):
        for peer in peers:
            whole, single = peer.seconds(games), peer.seconds(1)
            with_start[peer.name].append(whole / games * 1e6)
            without[peer.name].append((whole - single) / (games - 1) * 1e6)
    _print_line("without start-up", peers, without)
    _print_line("with start-up", peers, with_start)


def _print_line(title: str, peers: tuple[Peer, Peer], samples: dict[str, list[float]]) -> None:
    machine, native = (median(samples[peer.name]) for peer in peers)
    print(
        f"  {title:17} {peers[0].name} {machine:8.1f} us   {peers[1].name} {native:8.1f} us"
        f"   ratio {machine / native:.2f}"
    )


def _order(image: Image, jobs: Sequence[GameJob]) -> bytes:
    batch = _batch(image)
    return batch.header() + batch.chunk(jobs)


def _batch(image: Image) -> Batch:
    path = translations().add(image, Sandbox())
    return Batch(Rules(), MAX_INSTRUCTIONS, {image.digest: image}, {image.digest: path})


def _streams(jobs: Sequence[GameJob]) -> bytes:
    return b"".join(stream for job in jobs for stream in job.streams)


def _output(peer: Peer, games: int) -> bytes:
    return subprocess.run([peer.program], input=peer.order(games), capture_output=True, check=True).stdout


if __name__ == "__main__":
    main()
