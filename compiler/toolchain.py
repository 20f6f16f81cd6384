"""gcc for the contest machine, run in the sandbox: preprocess, compile, link.

The sandbox has the program as `program.c`, exactly as it was sent, so gcc's line numbers are the team's.
Results come back through a pipe; a step that fails tells why in a sentence for a mail (messages.py).
"""

from __future__ import annotations

import shlex
import shutil
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.resources import files

from compiler import messages
from compiler.checks import PASTED_PRAGMA
from contest.errors import ToolMissing
from contest.util.sanitize import sanitize
from sandbox.sandbox import WORK, Ending, ExitStatus, Limits, Sandbox

PREFIX = "riscv64-unknown-elf-"

MACHINE_FLAGS = ("-march=rv32im", "-mabi=ilp32", "-mstrict-align")
COMPILE_FLAGS = (
    *("-std=gnu89", *MACHINE_FLAGS, "-O2", "-ffreestanding", "-fno-builtin", "-nostdlib", "-nostdinc"),
    *("-fwrapv", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks"),
    # Otherwise gcc turns a loop that clears an array into a call of memset, which the program lacks.
    "-fno-tree-loop-distribute-patterns",
    *("-fno-diagnostics-show-caret", "-fdiagnostics-color=never", "-fmax-errors=20", "-pipe"),
    "-frandom-seed=knobeln",
    # It would make each compilation another program.
    *("-Wno-builtin-macro-redefined", '-D__TIMESTAMP__="Sat May 14 12:00:00 1994"'),
)
# Do not warn about the C of 1994: no int, no prototype, no return, `if (a = b)`.
WARNING_FLAGS = (
    *("-Wall", "-Wno-implicit", "-Wno-return-type", "-Wno-main", "-Wno-parentheses", "-Wno-trigraphs"),
    *("-Wno-unknown-pragmas", "-Wno-char-subscripts", "-Wno-missing-braces", "-Wno-comment"),
    *("-Wno-error=int-conversion", "-Wno-error=incompatible-pointer-types"),  # errors since gcc 14
)
_ENVIRONMENT = {"SOURCE_DATE_EPOCH": "768916800"}  # __DATE__ is always the day of the contest of 1994

_LIMITS = Limits()
# Preprocessing takes milliseconds; with this limit, both steps together take at most 12 s of CPU time.
_PREPROCESS_LIMITS = Limits(cpu_seconds=2, output_bytes=2 * 1024 * 1024)

_PROGRAM = f"{WORK}/{messages.FILE_NAME}"
_RESULT = f"{WORK}/result"
_RUNTIME_SOURCES = ("start.S", "services.S", "memory.c")
_LINKER_SCRIPT = "/box/link.ld"


@dataclass(frozen=True)
class Step:
    """The result of a step: `output` is None if it failed; `trouble` tells why it was stopped or crashed."""

    output: bytes | None
    messages: str
    trouble: str = ""


class Toolchain:
    """gcc in the sandbox. Keep the object: the first use compiles the runtime. Threads may share it.

    `with_lines`: images know the lines of their source; all else of them is the same.
    """

    def __init__(self, *, with_lines: bool = False) -> None:
        self.with_lines = with_lines
        self._sandbox = Sandbox()

    @cached_property
    def version(self) -> str:
        """E.g. "riscv64-unknown-elf-gcc (...) 12.2.0". Raises ToolMissing if gcc is not installed."""
        output = self._run_trusted([self._gcc, "--version"], {}).decode(errors="replace")
        return sanitize(output.partition("\n")[0])

    def preprocess(self, text: str, prose: frozenset[int] = frozenset()) -> Step:
        """Run the preprocessor; its output has no line markers."""
        options = ("-w", "-E", "-P", f"-D_Pragma={PASTED_PRAGMA}")
        command = [self._gcc, *COMPILE_FLAGS, *options, messages.FILE_NAME]
        return _step(self._run(command, _program(text), _PREPROCESS_LIMITS), _PREPROCESS_LIMITS, prose)

    def compile(self, text: str, prose: frozenset[int] = frozenset()) -> Step:
        """Compile the program into an object file."""
        flags = (*COMPILE_FLAGS, *WARNING_FLAGS, *(("-g",) if self.with_lines else ()))
        command = [self._gcc, *flags, "-c", messages.FILE_NAME, "-o", _RESULT]
        return _step(self._run(_then_show_result(command), _program(text), _LIMITS), _LIMITS, prose)

    def link(self, program: bytes) -> Step:
        """Link the object file, our runtime, the five routines and libgcc into an ELF file."""
        contents = {
            "/box/program.o": program,
            "/box/runtime.o": self._runtime,
            _LINKER_SCRIPT: _runtime_file("link.ld"),
        }
        options = (*MACHINE_FLAGS, "-nostdlib", "-static", "-T", _LINKER_SCRIPT, "-Wl,--build-id=none")
        command = [self._gcc, *options, "/box/runtime.o", "/box/program.o", "-lgcc", "-o", _RESULT]
        return _step(self._run(_then_show_result(command), contents, _LIMITS), _LIMITS)

    @cached_property
    def _gcc(self) -> str:
        if not shutil.which(f"{PREFIX}gcc"):
            raise ToolMissing(
                "gcc for the contest machine is not installed. Install the package gcc-riscv64-unknown-elf"
            )
        return f"{PREFIX}gcc"

    @cached_property
    def own_routines(self) -> frozenset[str]:
        """The routines of libgcc; gcc calls them for arithmetic that the processor does not have."""
        flags = " ".join(MACHINE_FLAGS)
        command = f'{PREFIX}nm -gj --defined-only "$({self._gcc} {flags} -print-libgcc-file-name)"'
        names = self._run_trusted(["/bin/sh", "-c", command], {}).decode().split()
        return frozenset(name for name in names if name.startswith("__"))

    @cached_property
    def _runtime(self) -> bytes:
        """Start code, services, memory routines and the five routines in one object file.

        The memory routines are weak, so a program may have its own memcpy.
        """
        contents = {f"/box/{name}": _runtime_file(name) for name in _RUNTIME_SOURCES}
        contents["/box/knobellib.c"] = files("knobellib").joinpath("knobellib.c").read_bytes()
        flags = shlex.join((*COMPILE_FLAGS, "-DKNOBELN_MACHINE"))
        commands = (
            f"{self._gcc} {flags} -c {' '.join(contents)}",
            f"{PREFIX}objcopy --weaken memory.o",
            f"{self._gcc} {flags} -r start.o services.o memory.o knobellib.o -o {_RESULT}",
            f"cat {_RESULT}",
        )
        return self._run_trusted(["/bin/sh", "-ec", "\n".join(commands)], contents)

    def _run_trusted(self, command: Sequence[str], contents: Mapping[str, bytes]) -> bytes:
        """Run a step without foreign code; returns its output. A failure is a fault of the installation."""
        result = self._run(command, contents, _LIMITS)
        if not result.succeeded:
            stderr = result.stderr.decode(errors="replace").strip()
            raise ToolMissing(f"{self._gcc} does not work in the sandbox ({result.ending}): {stderr}")
        return result.stdout

    def _run(self, command: Sequence[str], contents: Mapping[str, bytes], limits: Limits) -> ExitStatus:
        run = partial(self._sandbox.run, command, files=contents, environment=_ENVIRONMENT, limits=limits)
        return again_if_killed(run, limits)


def _runtime_file(name: str) -> bytes:
    return files("sandbox.vm").joinpath("runtime", name).read_bytes()


def _program(text: str) -> Mapping[str, bytes]:
    return {_PROGRAM: text.encode(errors="replace")}


def _then_show_result(command: Sequence[str]) -> list[str]:
    """Write the output to a file first: an assembler must seek in it, and a pipe cannot."""
    return ["/bin/sh", "-c", f'"$@" && exec cat {_RESULT}', "sh", *command]


def _step(result: ExitStatus, limits: Limits, prose: frozenset[int] = frozenset()) -> Step:
    cleaned = messages.clean(result.stderr, prose)
    if result.succeeded:
        return Step(result.stdout, cleaned)
    return Step(None, cleaned, messages.trouble(result, limits))


# --- what the host may have done ---------------------------------------------------------------------------
_KILLED = b"Killed"  # gcc's driver and the shell print this about a killed child


def again_if_killed(run: Callable[[], ExitStatus], limits: Limits) -> ExitStatus:
    """Run a compiler, and a second time if the host may have killed it. `limits`: those it runs with.

    If memory is short, the kernel kills some process; if the host stalls, the wall clock runs on. The program
    is to blame for neither, and neither is likely to happen twice in a row. A program that breaks its
    compiler does so every time.
    """
    before = time.monotonic()
    result = run()
    return run() if _may_be_our_fault(result, time.monotonic() - before, limits) else result


def _may_be_our_fault(result: ExitStatus, seconds: float, limits: Limits) -> bool:
    """Whether it was killed before it can have used up its CPU time, or got too little CPU."""
    if result.ending is Ending.MEMORY_LIMIT:  # the program's own limit, not the host's memory
        return False
    if result.ending is Ending.WALL_LIMIT:
        return True
    killed = result.ending is Ending.SIGNAL and result.code == signal.SIGKILL
    return (killed or _KILLED in result.stderr) and not result.succeeded and seconds < limits.cpu_seconds
