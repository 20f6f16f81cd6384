"""Interpreter and translation of one image side by side: the program compare.c, built and fed."""

import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from contest.subprocesses.c_programs import c_compiler, c_program
from sandbox.sandbox import Limits, Sandbox
from sandbox.vm import engine_binary
from sandbox.vm.image import CODE_BASE, DATA_BASE, Image
from sandbox.vm.translate import translate
from sandbox.vm.translation import compiled

HERE = Path(__file__).parents[1] / "machine"
START = (0, 0, DATA_BASE, *[0] * 29)
PATIENT = Limits(cpu_seconds=120, wall_seconds=600.0)
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1")
TRANSLATOR = engine_binary.SOURCES.parent / "translator"


@dataclass(frozen=True)
class Case:
    """Where a run starts, and with what."""

    x: Sequence[int] = START
    fuel: int = 5_000
    first: int | None = None  # number of an instruction; the entry if not said
    stops: int = 20


@dataclass(frozen=True)
class Compared:
    """`difference` is "" where interpreter and translation agree."""

    difference: str
    instructions: int = 0
    native: int = 0


Compare = Callable[[Image, Sequence[Case]], Compared]


def built_compare(sources: Path, cache: Path) -> Compare:
    """Compares by the translation that the engine would map; built in these two empty folders."""
    for source in (*engine_binary.SOURCES.glob("*.[ch]"), HERE / "compare.c"):
        if source.name != "main.c":
            shutil.copy(source, sources)
    program = c_program(sources, engine_binary.FLAGS, cache)

    def compare(image: Image, cases: Sequence[Case]) -> Compared:
        with tempfile.NamedTemporaryFile() as file:
            file.write(compiled(image, Sandbox(), PATIENT))
            file.flush()
            return _compared(program, _order(image, cases, file.name))

    return compare


def compare_sanitized(image: Image, cases: Sequence[Case], folder: Path) -> Compared:
    """Compares with engine and translation in one program under the sanitizers."""
    (folder / "translated.c").write_text(translate(image))
    sources = [source for source in engine_binary.SOURCES.glob("*.c") if source.name != "main.c"]
    parts = [*sources, HERE / "compare.c", folder / "translated.c"]
    command = [c_compiler(), *engine_binary.FLAGS, *SANITIZERS, "-DLINKED", "-w"]
    includes = [f"-I{engine_binary.SOURCES}", f"-I{TRANSLATOR}"]
    subprocess.run([*command, *includes, "-o", folder / "compare", *parts], check=True)
    return _compared(folder / "compare", _order(image, cases, ""))


def _order(image: Image, cases: Sequence[Case], path: str) -> bytes:
    sizes = (len(image.code), len(image.data), image.static_size, len(path))
    head = struct.pack("<5I", image.entry, *sizes) + image.code + image.data + path.encode()
    return (
        head + struct.pack("<I", len(cases)) + b"".join(_case_bytes(image, case) for case in cases)
    )


def _case_bytes(image: Image, case: Case) -> bytes:
    first = (image.entry - CODE_BASE) // 4 if case.first is None else case.first
    return struct.pack("<qII32I", case.fuel, first, case.stops, *case.x)


def _compared(program: Path, order: bytes) -> Compared:
    done = subprocess.run([program], input=order, capture_output=True, check=False)
    if done.returncode == 0:
        return Compared("", *map(int, done.stdout.split()))
    return Compared((done.stdout + done.stderr).decode() or f"ended with {done.returncode}")
