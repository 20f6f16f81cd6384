"""ELF files for the contest machine, linked by hand."""

import subprocess
from pathlib import Path

RUNTIME = Path(__file__).parents[2] / "sandbox" / "vm" / "runtime"
GCC = (
    "riscv64-unknown-elf-gcc", "-march=rv32im", "-mabi=ilp32", "-std=gnu89", "-O1", "-w", "-nostdlib",
    "-static", "-ffreestanding",
)  # fmt: skip
LEAVES = """
        .globl _start
_start: li a0, 0x1234
        li s1, -1
        li a7, 0
        ecall
"""


def linked_elf(folder: Path, name: str, text: str, *more: Path) -> Path:
    """Compile and link this source, named `name`, with more files into `program.elf` in the folder."""
    source, elf = folder / name, folder / "program.elf"
    source.write_text(text)
    subprocess.run([*GCC, "-T", RUNTIME / "link.ld", "-o", elf, source, *more], check=True)
    return elf
