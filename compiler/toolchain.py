"""gcc for the contest machine, run in the sandbox: preprocess, compile, link.

The sandbox has the program as `program.c`, exactly as it was sent, so gcc's line numbers are the
team's. Results come back through a pipe; a step that fails tells why in a sentence for a mail. gcc
quotes the program, so its messages are foreign text.
"""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.resources import files

from compiler.checks import PASTED_PRAGMA
from contest.errors import HostBusy, ToolMissing
from contest.language import gettext, number
from contest.util.sanitize import sanitize
from sandbox.limits import COMPILER, PREPROCESSOR
from sandbox.sandbox import WORK, Ending, ExitStatus, Limits, Sandbox
from sandbox.vm.image import MEMORY_SIZE

PREFIX = "riscv64-unknown-elf-"

MACHINE_FLAGS = ("-march=rv32im", "-mabi=ilp32", "-mstrict-align")
COMPILE_FLAGS = (
    "-std=gnu89",
    *MACHINE_FLAGS,
    "-O2",
    "-ffreestanding",
    "-fno-builtin",
    "-nostdlib",
    "-nostdinc",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
    # Otherwise gcc turns a loop that clears an array into a call of memset, which the program
    # lacks.
    "-fno-tree-loop-distribute-patterns",
    "-fno-diagnostics-show-caret",
    "-fdiagnostics-color=never",
    "-fmax-errors=20",
    "-pipe",
    "-frandom-seed=knobeln",
    # It would make each compilation another program.
    "-Wno-builtin-macro-redefined",
    '-D__TIMESTAMP__="Sat May 14 12:00:00 1994"',
)
# Do not warn about the C of 1994: no int, no prototype, no return, `if (a = b)`.
WARNING_FLAGS = (
    "-Wall",
    "-Wno-implicit",
    "-Wno-return-type",
    "-Wno-main",
    "-Wno-parentheses",
    "-Wno-trigraphs",
    "-Wno-unknown-pragmas",
    "-Wno-char-subscripts",
    "-Wno-missing-braces",
    "-Wno-comment",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-pointer-types",  # errors since gcc 14
)
# __DATE__ is always the day of the contest of 1994
_ENVIRONMENT = {"SOURCE_DATE_EPOCH": "768916800"}

FILE_NAME = "program.c"  # the program's name in messages
_PROGRAM = f"{WORK}/{FILE_NAME}"
_OBJECT = f"{WORK}/program.o"
_RESULT = f"{WORK}/result"
_RUNTIME_SOURCES = ("start.S", "services.S", "memory.c")
_LINKER_SCRIPT = "/box/link.ld"
_LINK_FLAGS = (
    *MACHINE_FLAGS,
    "-nostdlib",
    "-static",
    "-T",
    _LINKER_SCRIPT,
    "-Wl,--build-id=none",
)
_SIZE_DIGITS = 8
# The object file, its size before it, and the linked program come through one pipe.
_COMPILE_AND_LINK = replace(COMPILER, output_bytes=_SIZE_DIGITS + 2 * COMPILER.file_bytes)
_LINKER_BEGINS = b"\0"  # between the messages; no program that gcc sees has this character


@dataclass(frozen=True)
class Step:
    """The result of a step: `output` is None if it failed; `trouble` tells why it was stopped or
    crashed."""

    output: bytes | None
    messages: str
    trouble: str = ""


@dataclass(frozen=True)
class Compiled:
    """A program as an object file and, if that was made, linked as an ELF file."""

    object_file: Step
    linked: Step


class Toolchain:
    """gcc in the sandbox. Keep the object: the first use compiles the runtime. Threads may share
    it.

    `with_lines`: images know the lines of their source; all else of them is the same.
    """

    def __init__(self, *, with_lines: bool = False) -> None:
        self.with_lines = with_lines
        self._sandbox = Sandbox()

    @cached_property
    def version(self) -> str:
        """E.g. "riscv64-unknown-elf-gcc (...) 12.2.0". Raises ToolMissing if gcc is not
        installed."""
        output = self._run_trusted([self._gcc, "--version"], {}).decode(errors="replace")
        return sanitize(output.partition("\n")[0])

    def preprocess(self, text: str, prose: frozenset[int] = frozenset()) -> Step:
        """Run the preprocessor; its output has no line markers."""
        options = ("-w", "-E", "-P", f"-D_Pragma={PASTED_PRAGMA}")
        command = [self._gcc, *COMPILE_FLAGS, *options, FILE_NAME]
        return _step(self._run(command, _program(text), PREPROCESSOR), PREPROCESSOR, prose)

    def compile(self, text: str, prose: frozenset[int] = frozenset()) -> Compiled:
        """Compile the program, and link it with our runtime, the five routines and libgcc.

        Both in one sandbox, because a sandbox takes as long as a linker.
        """
        flags = (*COMPILE_FLAGS, *WARNING_FLAGS, *(("-g",) if self.with_lines else ()))
        compiler = [self._gcc, *flags, "-c", FILE_NAME, "-o", _OBJECT]
        linker = [self._gcc, *_LINK_FLAGS, "/box/runtime.o", _OBJECT, "-lgcc", "-o", _RESULT]
        commands = (
            shlex.join(compiler),
            f'printf %0{_SIZE_DIGITS}d "$(wc -c < {_OBJECT})"',
            f"cat {_OBJECT}",
            r"printf '\0' >&2",
            shlex.join(linker),
            f"exec cat {_RESULT}",
        )
        contents = {
            **_program(text),
            "/box/runtime.o": self._runtime,
            _LINKER_SCRIPT: _runtime_file("link.ld"),
        }
        result = self._run(["/bin/sh", "-ec", "\n".join(commands)], contents, _COMPILE_AND_LINK)
        return _compiled(result, prose)

    @cached_property
    def _gcc(self) -> str:
        if not shutil.which(f"{PREFIX}gcc"):
            raise ToolMissing(
                "gcc for the contest machine is not installed. Install the package"
                " gcc-riscv64-unknown-elf"
            )
        return f"{PREFIX}gcc"

    @cached_property
    def own_routines(self) -> frozenset[str]:
        """The routines of libgcc; gcc calls them for arithmetic that the processor does not
        have."""
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
        """Run a step without foreign code; returns its output. A failure is a fault of the
        installation."""
        result = self._run(command, contents, COMPILER)
        if not result.succeeded:
            stderr = result.stderr.decode(errors="replace").strip()
            raise ToolMissing(
                f"{self._gcc} does not work in the sandbox ({result.ending}): {stderr}"
            )
        return result.stdout

    def _run(
        self, command: Sequence[str], contents: Mapping[str, bytes], limits: Limits
    ) -> ExitStatus:
        run = partial(
            self._sandbox.run, command, files=contents, environment=_ENVIRONMENT, limits=limits
        )
        return again_if_killed(run, limits)


def _runtime_file(name: str) -> bytes:
    return files("sandbox.vm").joinpath("runtime", name).read_bytes()


def _program(text: str) -> Mapping[str, bytes]:
    return {_PROGRAM: text.encode(errors="replace")}


def _compiled(result: ExitStatus, prose: frozenset[int]) -> Compiled:
    """Read the files and messages that the compiler and the linker wrote one after the other."""
    messages, linker_began, linker_messages = result.stderr.partition(_LINKER_BEGINS)
    if not linker_began:
        failed = _step(result, _COMPILE_AND_LINK, prose)
        return Compiled(failed, failed)
    digits, output = result.stdout[:_SIZE_DIGITS], result.stdout[_SIZE_DIGITS:]
    size = int(digits) if digits.isdigit() else 0
    linker = replace(result, stdout=output[size:], stderr=linker_messages)
    return Compiled(Step(output[:size], clean(messages, prose)), _step(linker, _COMPILE_AND_LINK))


def _step(result: ExitStatus, limits: Limits, prose: frozenset[int] = frozenset()) -> Step:
    cleaned = clean(result.stderr, prose)
    if result.succeeded:
        return Step(result.stdout, cleaned)
    return Step(None, cleaned, trouble(result, limits))


# --- what the host may have done ------------------------------------------------------------------
_KILLED = b"Killed"  # gcc's driver and the shell print this about a killed child


def again_if_killed(run: Callable[[], ExitStatus], limits: Limits) -> ExitStatus:
    """Run a compiler, and a second time if the host may have killed it. `limits`: those it runs
    with.

    If memory is short, the kernel kills some process. The program is not to blame, and it is not
    likely to happen twice in a row. A program that breaks its compiler does so every time. Raises
    HostBusy if the compiler had no result in its time by the clock: compilers do not sleep, so
    they had no processor.
    """
    before = time.monotonic()
    result = run()
    seconds = result.usage.cpu_seconds or time.monotonic() - before
    if _may_be_our_fault(result, seconds, limits):
        result = run()
    if result.ending is Ending.WALL_LIMIT:
        raise HostBusy(
            f"a compiler had no result after {limits.wall_seconds:g} s, because the host is busy"
        )
    return result


def _may_be_our_fault(result: ExitStatus, seconds: float, limits: Limits) -> bool:
    """Return whether it was killed before it can have used up its CPU time."""
    if result.ending is Ending.MEMORY_LIMIT:  # the program's own limit, not the host's memory
        return False
    killed = result.ending is Ending.SIGNAL and result.code == signal.SIGKILL
    return (
        (killed or _KILLED in result.stderr)
        and not result.succeeded
        and seconds < limits.cpu_seconds
    )


# --- its messages ---------------------------------------------------------------------------------
# Decoded leniently, cut at 16 kB, and without control characters, escape sequences, marks that
# change the direction of writing, and paths of this host.
MAX_CHARACTERS = 16_000
_MAX_READ_BYTES = 1_000_000  # of a compiler that writes on and on

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)?", re.DOTALL)
_OUR_PATH = re.compile(r"(?<![\w.])/(?:usr|work|box)/(?:[\w.+-]+/)*([\w.+-]*)")
_UNHELPFUL = re.compile(
    r"did you forget to '#include|is defined in header|compilation terminated|Please submit|See <|"
    r"PLEASE submit|^Stack dump|^clang: |^ *#\d+ 0x|^cc1: note: unrecognized command-line option"
)
# A program can make its compiler quote it, so a line's number has bounds, too: `int` takes 4,300
# digits.
_APOSTROPHE = re.compile(rf"{FILE_NAME}:(\d{{1,9}}):\d+: warning: missing terminating")
_ERROR = re.compile(rf"^{FILE_NAME}:(\d{{1,9}}):(?:\d+:)? (?:fatal )?error: *(.*)", re.MULTILINE)
_CRASHED = re.compile(rf"{FILE_NAME}:\d+:(?:\d+:)? internal compiler error")
_TOO_LARGE = re.compile(r"File size limit exceeded|File too large")
_USED_UP_ENDINGS = (Ending.CPU_LIMIT, Ending.MEMORY_LIMIT)
_USED_UP = re.compile(
    r"CPU time limit exceeded|Killed signal|out of memory|memory exhausted|Cannot allocate memory"
)
_BROKE = re.compile(r"internal compiler error|Segmentation fault|signal terminated program|Aborted")


def clean(raw: bytes, prose: frozenset[int] = frozenset()) -> str:
    """gcc's messages for the team. `prose`: lines in `#if 0`, where an apostrophe without partner
    is fine."""
    text = sanitize(
        _ESCAPE.sub("", raw[:_MAX_READ_BYTES].decode(errors="replace").replace("\r", ""))
    )
    lines = [_OUR_PATH.sub(r"\1", line) for line in text.split("\n") if _is_helpful(line, prose)]
    return _cut("\n".join(lines).strip(), max(0, len(raw) - _MAX_READ_BYTES))


def _is_helpful(line: str, prose: frozenset[int]) -> bool:
    apostrophe = _APOSTROPHE.match(line)
    return not _UNHELPFUL.search(line) and not (apostrophe and int(apostrophe[1]) in prose)


def _cut(text: str, unread: int) -> str:
    """Return the text, or its beginning; `unread`: how much there was behind it."""
    kept = text
    if len(text) > MAX_CHARACTERS:
        kept = text[:MAX_CHARACTERS].rpartition("\n")[0] or text[:MAX_CHARACTERS]
    further = len(text) - len(kept) + unread
    if not further:
        return text
    return gettext(
        "%(kept)s\n(shortened: %(text)s further characters)", kept=kept, text=number(further)
    )


def first_error(messages: str) -> tuple[int, str]:
    """Return the line of the first error, and what it is in the compiler's words; (0, "") if there
    is none."""
    found = _ERROR.search(messages)
    return (int(found[1]), found[2]) if found else (0, "")


def without_warnings(messages: str) -> str:
    """Return the messages about errors, which have caused most of the others."""
    return "\n".join(line for line in messages.split("\n") if ": warning: " not in line)


def trouble(result: ExitStatus, limits: Limits, *, is_gcc: bool = True) -> str:
    """Return why the compiler did not end by itself, as a sentence; "" if it did.

    `is_gcc`: its messages tell, too, and programs are for the contest machine.
    """
    if result.succeeded:
        return ""
    lines = result.stderr[-MAX_CHARACTERS:].decode(errors="replace").split("\n") if is_gcc else []
    # Of lines about the program, which may quote it, only those that tell of a crash.
    stderr = "\n".join(
        each for each in lines if not each.startswith(f"{FILE_NAME}:") or _CRASHED.match(each)
    )
    if result.ending in _USED_UP_ENDINGS or _USED_UP.search(stderr):
        memory = limits.address_space_bytes // 2**20
        return gettext(
            "the compiler used more than %(cpu_seconds)s s / %(memory)s MB on your program",
            cpu_seconds=limits.cpu_seconds,
            memory=memory,
        )
    if _TOO_LARGE.search(stderr):
        size, memory = limits.file_bytes // 1024, MEMORY_SIZE // 1024
        return gettext(
            "your program is larger than %(size)s kB when compiled; it has %(memory)s kB of memory"
            " in all",
            size=number(size),
            memory=number(memory),
        )
    if result.ending is Ending.OUTPUT_LIMIT:
        return gettext(
            "the compiler's output for your program is larger than %(output_bytes)s kB",
            output_bytes=number(limits.output_bytes // 1024),
        )
    if result.ending is Ending.SIGNAL or _BROKE.search(stderr):
        return gettext("the compiler crashed on your program")
    return ""
