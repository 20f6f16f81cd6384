"""Programs for the machine's tests, built by the cross compiler directly or word by word."""

import functools
import hashlib
import io
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from elftools.elf.elffile import ELFFile

from contest.games.knobeln import Rules
from contest.model import GameJob, GameResult, Verdict
from sandbox.vm.image import CODE_BASE, DATA_BASE, Image
from tournament.runners.machine import MachineRunner

ROOT = Path(__file__).parents[2]
RUNTIME = ROOT / "sandbox" / "vm" / "runtime"
LIBRARY = ROOT / "knobellib" / "knobellib.c"
EXAMPLE = ROOT / "knobellib" / "example.c"
FLAGS = (
    "-std=gnu89",
    "-march=rv32im",
    "-mabi=ilp32",
    "-O2",
    "-w",
    "-DKNOBELN_MACHINE",
    "-static",
    "-ffreestanding",
    "-fno-builtin",
    "-nostdlib",
    "-nostdinc",
    "-Wl,--build-id=none",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
)


GCC = ("riscv64-unknown-elf-gcc", *FLAGS)


@functools.cache
def _objects() -> tuple[tempfile.TemporaryDirectory[str], Sequence[Path]]:
    """The runtime and the library, compiled once for all programs; the folder goes with this
    process."""
    folder = tempfile.TemporaryDirectory()
    sources = (RUNTIME / "start.S", LIBRARY, RUNTIME / "services.S", RUNTIME / "memory.c")
    subprocess.run([*GCC, "-c", *sources], cwd=folder.name, check=True)
    return folder, [Path(folder.name) / f"{source.stem}.o" for source in sources]


@functools.cache
def compiled(source: str) -> Image:
    """A C program as an image, linked with the runtime and the library."""
    _, (start, *others) = _objects()
    with tempfile.TemporaryDirectory() as folder:
        program, elf = Path(folder) / "program.c", Path(folder) / "program.elf"
        program.write_text(source)
        parts = (start, program, *others, "-lgcc")
        subprocess.run([*GCC, "-T", RUNTIME / "link.ld", "-o", elf, *parts], check=True)
        return from_elf(elf.read_bytes())


def from_elf(raw: bytes) -> Image:
    elf = ELFFile(io.BytesIO(raw))
    segments = {s["p_vaddr"]: s for s in elf.iter_segments() if s["p_type"] == "PT_LOAD"}
    data = segments.get(DATA_BASE)
    symbols = sorted(
        (s["st_value"], s.name)
        for s in elf.get_section_by_name(".symtab").iter_symbols()
        if s["st_info"]["type"] == "STT_FUNC"
    )
    return Image(
        entry=elf["e_entry"],
        code=segments[CODE_BASE].data(),
        data=data.data() if data else b"",
        static_size=-(-data["p_memsz"] // 16) * 16 if data else 0,
        symbols=tuple(symbols),
    )


def assembled(words: Sequence[int], data: bytes = b"", static_size: int = 0) -> Image:
    """An image of these very instructions."""
    return Image(CODE_BASE, struct.pack(f"<{len(words)}I", *words), data, static_size)


MAX_LISTED = 64
_LISTED = f"""
int list[{MAX_LISTED + 1}] = {{ 1 }};
main() {{
  int i;
  for (i = 1; i <= list[0]; i++)
    make_throw (list[i]);
}}
"""


def throwing(throws: Sequence[int]) -> Image:
    """A program that makes these throws, at most MAX_LISTED of them, and ends."""
    numbers = [len(throws), *throws, *[0] * (MAX_LISTED - len(throws))]
    return replace(compiled(_LISTED), data=struct.pack(f"<{len(numbers)}i", *numbers))


def stream(name: str) -> bytes:
    """16 bytes that belong to this name."""
    return hashlib.blake2b(name.encode(), digest_size=16).digest()


def game(
    first: Image, second: Image, rules: Rules, max_instructions: int = 1_000_000, seed: str = "seed"
) -> GameResult:
    """One game between these two on the real engine, with its throws."""
    images = {image.digest: image for image in (first, second)}
    streams = (stream(f"{seed}/0"), stream(f"{seed}/1"))
    job = GameJob((first.digest, second.digest), streams, protocol=True)
    (result,) = MachineRunner(images, rules, max_instructions).play([job])
    return result


FAULTS = {  # X01, X02, X04, X05, X10, X11: the program, its verdict, what its team is told
    "endless after a throw": (
        "main() { make_throw (1); for (;;); }",
        Verdict.TIME,
        "used more than 1,000,000 instructions",
    ),
    "ends at once": ("main() { }", Verdict.PROTOCOL, "ended after 0 of 20 throws"),
    "reads address 0": (
        "int *p; main() { make_throw (*p); }",
        Verdict.CRASH,
        r"read from address 0x00000000, which is outside its memory, "
        r"in function main \(instruction at 0x000100\w\w\)",
    ),
    "writes its code": (
        "main() { *(int *) main = 0; }",
        Verdict.CRASH,
        r"wrote to address 0x000100\w\w, which is outside its memory, in function main .*",
    ),
    "reads misaligned": (
        "char c[8]; volatile int one = 1; main() { make_throw (*(int *) (c + one)); }",
        Verdict.CRASH,
        r"read from address 0x1000\w{4}, which does not fit the size of what lies there, in .*",
    ),
    "calls data": (
        "int code[4] = { 0x13, 0x73 }; main() { ((int (*) ()) code) (); }",
        Verdict.CRASH,
        r"jumped to address 0x10000\w{3}, which holds no code, in function main .*",
    ),
    "calls between instructions": (
        "int (*f) (); main() { f = (int (*) ()) ((char *) main + 2); f (); }",
        Verdict.CRASH,
        r"jumped to address 0x000100\w\w, which is not divisible by 4, in .*",
    ),
    "no instruction": (
        'main() { __asm__ ("ebreak"); }',
        Verdict.CRASH,
        r"executed 0x00100073, which is no instruction, in function main .*",
    ),
    "an unknown door": (
        'main() { __asm__ volatile ("li a7, 7\\n ecall" : : : "a7"); }',
        Verdict.PROTOCOL,
        r"used door 7, which does not exist, in function main .*",
    ),
    "seed to nowhere": (
        "main() { knobeln_seed_door (8); }",
        Verdict.CRASH,
        (
            r"wrote to address 0x00000008, which is outside its memory, in function"
            r" knobeln_seed_door .*"
        ),
    ),
    "recursion": (
        (
            "int f (int n) { volatile int a[9]; a[n % 9] = n; return f (n + 1) + a[n % 9]; } main()"
            " { f (1); }"
        ),
        Verdict.MEMORY,
        r"its stack grew out of the memory of 1024 kB \(address 0x0f\w{6}\), in function f .*",
    ),
}
