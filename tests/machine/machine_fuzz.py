"""Fuzzing the machine: `python tests/machine/machine_fuzz.py SECONDS [FOLDER]`, which is `make fuzz`.

With clang by libFuzzer, without it by a driver of our own. The corpus is made of the house strategies and of
a few words of code; libFuzzer adds to it in FOLDER (build/fuzz). What breaks is left there as crash-...
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from machine_assembler import ECALL, immediate, jal, jalr, load, store  # noqa: E402
from machine_compare import SANITIZERS  # noqa: E402
from machine_programs import EXAMPLE, assembled, compiled  # noqa: E402

from knobellib.house import house_strategies  # noqa: E402
from sandbox.machine import engine_binary  # noqa: E402
from sandbox.machine.image import CODE_BASE, Image  # noqa: E402

TARGET = Path(__file__).parent / "fuzz_image.c"
PARTS = ("decode.c", "interpret.c", "machine.c")
LONGEST = 65_536


def seed_bytes(image: Image) -> bytes:
    """The image as the target reads it."""
    head = struct.pack("<3I", image.entry - CODE_BASE, image.static_size, len(image.data))
    return head + image.data + image.code


def small_seeds() -> list[Image]:
    return [
        assembled([immediate("addi", 17, 0, 1), ECALL, jal(0, -8)]),
        assembled([load("lw", 5, 2, -4), store("sb", 5, 2, 1), jalr(1, 5, 3), ECALL], bytes(range(64)), 4096),
        compiled(EXAMPLE.read_text()),
    ]


def write_corpus(folder: Path, images: Iterable[Image]) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for image in images:
        paths.append(folder / image.digest[:16])
        paths[-1].write_bytes(seed_bytes(image))
    return paths


def build(compiler: str, flags: Iterable[str], program: Path) -> None:
    sources = [engine_binary.SOURCES / name for name in PARTS]
    common = ["-std=gnu11", "-fwrapv", "-fno-strict-aliasing", f"-I{engine_binary.SOURCES}"]
    command = [compiler, *common, *SANITIZERS, *flags, "-o", str(program), str(TARGET), *map(str, sources)]
    subprocess.run(command, check=True)


def run_driver(program: Path, seconds: int, seed: int, corpus: Iterable[Path]) -> str:
    """How many images were run. CalledProcessError when something broke."""
    command = [program, str(seconds), str(seed), *corpus]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main() -> None:
    seconds = int(sys.argv[1])
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "build" / "fuzz"
    images = [*small_seeds(), *(compiled(strategy.source) for strategy in house_strategies())]
    corpus = write_corpus(folder / "corpus", images)
    clang = next(filter(None, map(shutil.which, ("clang", "clang-19", "clang-16", "clang-14"))), None)
    if clang is None:
        build(engine_binary.c_compiler(), ["-DDRIVER"], folder / "fuzz_image")
        print(run_driver(folder / "fuzz_image", seconds, 1, corpus), end="")
        return
    build(clang, ["-fsanitize=fuzzer"], folder / "fuzz_image")
    options = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-timeout=10", "-print_final_stats=1"]
    subprocess.run([folder / "fuzz_image", *options, folder / "corpus"], cwd=folder, check=True)


if __name__ == "__main__":
    main()
