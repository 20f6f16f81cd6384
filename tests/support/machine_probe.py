"""The machine by itself, without the referee: `probe` runs a few instructions and shows
everything."""

import shutil
import struct
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from contest.subprocesses.c_programs import c_program
from sandbox.vm import engine_binary
from sandbox.vm.image import CODE_BASE, DATA_BASE

HERE = Path(__file__).parents[1] / "machine"
STOPS = ("leave", "throw", "seed", "no door", "fuel", "read", "write", "jump", "illegal")


@dataclass(frozen=True)
class Seen:
    """A machine at its first stop."""

    stop: str
    next_pc: int  # address of the instruction behind the one that stopped
    fault_pc: int
    fault_address: int
    x: tuple[int, ...]
    executed: int
    memory: bytes


Probe = Callable[..., Seen]


def built_probe(sources: Path, cache: Path) -> Probe:
    """The probe, made of the engine's own sources in these two empty folders."""
    for source in engine_binary.SOURCES.glob("*.[ch]"):
        shutil.copy(source, sources)
    shutil.copy(HERE / "probe.c", sources / "main.c")
    program = c_program(sources, engine_binary.FLAGS, cache)

    def run(
        words: Sequence[int],
        x: Sequence[int] = (),
        data: bytes = b"",
        static_size: int = 4096,
        fuel: int = 1_000_000,
        first: int = 0,
    ) -> Seen:
        start = list(x) if x else [0, 0, DATA_BASE, *[0] * 29]
        code = struct.pack(f"<{len(words)}I", *words)
        entry = CODE_BASE + 4 * first
        order = struct.pack("<q32I4I", fuel, *start, entry, len(code), len(data), static_size)
        done = subprocess.run([program], input=order + code + data, capture_output=True, check=True)
        head = struct.Struct("<4I32Iq")
        stop, pc, fault_pc, fault_address, *registers, left = head.unpack_from(done.stdout)
        return Seen(
            stop=STOPS[stop],
            next_pc=CODE_BASE + 4 * pc,
            fault_pc=fault_pc,
            fault_address=fault_address,
            x=tuple(registers),
            executed=fuel - left,
            memory=done.stdout[head.size :],
        )

    return run
