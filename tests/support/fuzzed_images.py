"""Images as the fuzz target reads them, and the target built and run."""

import struct
import subprocess
from collections.abc import Iterable
from pathlib import Path

from sandbox.vm import engine_binary
from sandbox.vm.image import CODE_BASE, Image
from tests.support.machine_assembler import ECALL, immediate, jal, jalr, load, store
from tests.support.machine_compare import SANITIZERS
from tests.support.machine_programs import EXAMPLE, assembled, compiled

TARGET = Path(__file__).parents[1] / "machine" / "fuzz_image.c"
PARTS = ("decode.c", "interpret.c", "machine.c")


def seed_bytes(image: Image) -> bytes:
    """The image as the target reads it."""
    head = struct.pack("<3I", image.entry - CODE_BASE, image.static_size, len(image.data))
    return head + image.data + image.code


def small_seeds() -> list[Image]:
    return [
        assembled([immediate("addi", 17, 0, 1), ECALL, jal(0, -8)]),
        assembled(
            [load("lw", 5, 2, -4), store("sb", 5, 2, 1), jalr(1, 5, 3), ECALL],
            bytes(range(64)),
            4096,
        ),
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
    command = [
        compiler,
        *common,
        *SANITIZERS,
        *flags,
        "-o",
        str(program),
        str(TARGET),
        *map(str, sources),
    ]
    subprocess.run(command, check=True)


def run_driver(program: Path, seconds: int, seed: int, corpus: Iterable[Path]) -> str:
    """How many images were run. CalledProcessError when something broke."""
    command = [program, str(seconds), str(seed), *corpus]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
