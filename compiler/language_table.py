"""The languages of programs: our table, and the rows that a contest adds. Pure.

A language is a row of `LANGUAGES`, or a table `[[programs.languages]]` of contest.toml, and nothing else. Its
commands may contain these placeholders:

    {tool}     the language's program on this host, e.g. /usr/bin/python3
    {home}     the folder that contains its folder `bin`
    {program}  the file that was sent, in the working folder
    {stem}     its name without the suffix
    {result}   the file that the build makes
    {memory}   the program's memory in MB
    {bytes}    the same in bytes

With `programs.clock = "fuel"` a row of our table that says how is built to be counted (`Counting`).
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from sandbox.places import PYTHON_PACKAGE_FOLDERS
from sandbox.players.function import LANGUAGE as PYTHON

if TYPE_CHECKING:  # settings need pydantic, which a team at home does not have (knobellib.python_kit)
    from contest.config.sections import LanguageRow, Programs

# What 1994 wrote compiles with every gcc and clang: no `int`, no prototypes, K&R. gcc 14 and clang 16 made
# errors of some of it. An option that gcc 12 does not know must not have the form -Wno-error=.
_OLD_C = (
    *("-Wno-error=implicit-int", "-Wno-error=implicit-function-declaration", "-Wno-error=int-conversion"),
    *("-Wno-error=incompatible-pointer-types", "-Wno-return-mismatch"),
    "-Wno-declaration-missing-parameter-type",
)
_OLD_C_FOR_CLANG = (
    *("-Wno-unknown-warning-option", "-Wno-error=return-type"),
    "-Wno-error=incompatible-function-pointer-types",
)
_C_FLAGS = (
    *("-O2", "-pipe", "-fno-diagnostics-show-caret", "-fdiagnostics-color=never", "-fmax-errors=20"),
    *("-frandom-seed=knobeln", "{program}", "-o", "{result}", "-lm"),
)
_RUST_FLAGS = (
    *("--edition", "2021", "--crate-type", "bin", "--crate-name", "program", "--color", "never"),
    *("-C", "opt-level=2", "-C", "codegen-units=1", "-C", "strip=symbols"),
    *("--remap-path-prefix", "/work=", "-o", "{result}", "{program}"),
)
_MODULE = ".program.wasm"
_STACK_BYTES = 8 * 1024 * 1024  # as Linux gives to programs; clang's 64 kB are too little for many
# The stack lies below all data, so one that overflows ends the program and damages nothing. A memory that
# cannot hold a program's data, and a call with other parameters than the function has, end the build.
_LINK_FLAGS = ("--stack-first", "--max-memory={bytes}", "--fatal-warnings", "--strip-all")
# The library of WASI has these only if a program asks for them.
_EMULATED = {
    "PROCESS_CLOCKS": "wasi-emulated-process-clocks",
    "SIGNAL": "wasi-emulated-signal",
    "GETPID": "wasi-emulated-getpid",
}
_CLANG_FLAGS = (
    *("--target=wasm32-wasi", "-O2", "-fno-caret-diagnostics", "-fno-color-diagnostics", "-ferror-limit=20"),
    *("-frandom-seed=knobeln", "-fno-ident", "-fno-crash-diagnostics", "-Wno-unused-command-line-argument"),
    *(f"-D_WASI_EMULATED_{name}" for name in _EMULATED),
    *("{program}", "-o", "{result}"),
    *(f"-Wl,{flag}" for flag in _LINK_FLAGS),
    *(f"-Wl,-z,stack-size={_STACK_BYTES}", "-lm"),
    *(f"-l{library}" for library in _EMULATED.values()),
)
_CLANG_NEEDS = (
    "{home}/bin/wasm-ld",
    "{home}/lib/clang/*/lib/wa*/*builtins*.a",
    "/usr/lib/wasm32-wasi*/libc.a",
)
_LIBCXX = ("-lc++", "-lc++abi")
_RUST_LINK_FLAGS = tuple(
    word for flag in (*_LINK_FLAGS, "-z", f"stack-size={_STACK_BYTES}") for word in ("-C", f"link-arg={flag}")
)
# Not every rustc comes with the linker that it would take, rust-lld.
_RUST_MODULE = """
target=wasm32-wasi
[ -d {home}/lib/rustlib/$target ] || target=wasm32-wasip1
linker=$(ls -v /usr/lib/llvm-*/bin/wasm-ld | tail -n 1)
exec {tool} --target $target -C linker="$linker" "$@"
"""
_JAVA_SMALL = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:CompressedClassSpaceSize=16m")
_CHECK_PYTHON = """
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    compile(file.read(), sys.argv[1], "exec")
"""
# A module cannot be compiled without running it, so its mistakes show in its first game.
_CHECK_JAVASCRIPT = r"""
const name = process.argv[2];
const text = require("fs").readFileSync(name, "utf8").replace(/^#!.*/, "");
if (!/\.mjs$/i.test(name) && !/^\s*(import|export)\b/m.test(text)) {
  new Function("exports", "require", "module", "__filename", "__dirname", text);
}
"""
_JAVA_BUILD = """
{tool} -J-Xmx128m -J-XX:+UseSerialGC -J-XX:CompressedClassSpaceSize=64m \
    -proc:none --release 17 -encoding UTF-8 -d .classes {program}
cd .classes
find . -type f | LC_ALL=C sort > ../.names
{home}/bin/jar -J-Xmx64m -J-XX:+UseSerialGC -J-XX:CompressedClassSpaceSize=64m \
    --create --no-manifest --date=1994-05-15T00:00:00Z --file=../{result} @../.names
"""


@dataclass(frozen=True)
class Counting:
    """How programs of a language are built so that their time can be counted.

    With a `tool` it makes WebAssembly of them. Without, a guest reads the file (sandbox/fuel/guests.py), and
    `check` is a program for this guest that ends with an exit code if the file that it is given has mistakes.
    """

    tool: str = ""
    build: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()  # patterns of files: {home} and placeholders of glob
    build_memory: int = 2_048
    check: str = ""


@dataclass(frozen=True)
class Language:
    """A row of the table. Without `result` the build only looks for mistakes, and the file itself runs.

    Memory in MB. The address space of a process is limited to `memory` plus what its tool `reserved` without
    using it, because the kernel can limit nothing else for a single process.
    """

    name: str
    suffixes: tuple[str, ...]
    tool: str
    run: tuple[str, ...]
    build: tuple[str, ...] = ()
    result: str = ""  # begins with a dot, unlike any file that is sent
    version: tuple[str, ...] = ("{tool}", "--version")
    memory: int = 256  # of a running program, unless the contest has its own limit
    reserved: int = 8
    build_memory: int = 512
    processes: int = 16
    environment: tuple[tuple[str, str], ...] = ()
    folders: tuple[str, ...] = ()  # patterns of folders with the tool's settings and packages
    packages: tuple[str, ...] = ()  # that programs may import besides the standard library
    sample: str = ""  # a program that prints its first argument, to test the row
    finds_itself: bool = False  # the tool looks for its own path in /proc, which a sandbox does not have
    counting: Counting | None = None
    is_counted: bool = False  # `tool`, `build` and `result` are those of `counting`

    @property
    def needs(self) -> tuple[str, ...]:
        """Patterns of files without which the tool is of no use."""
        return self.counting.needs if self.is_counted and self.counting else ()

    def placeholders(self, tool: str, home: Path, program: str, memory: int) -> Mapping[str, str]:
        """The values for the placeholders in the commands. `home`: where the tool is installed."""
        return {
            "tool": tool,
            "home": str(home),
            "program": program,
            "stem": PurePosixPath(program).stem,
            "result": self.result,
            "memory": str(memory),
            "bytes": str(memory * 2**20),
        }

    def environment_with(self, values: Mapping[str, str]) -> dict[str, str]:
        """The environment of the tool and of programs. `values`: see `placeholders`."""
        return {name: value.format(**values) for name, value in self.environment}


LANGUAGES = (
    Language(
        name="C",
        suffixes=("c",),
        tool="gcc",
        build=("{tool}", "-x", "c", "-std=gnu17", *_OLD_C, *_C_FLAGS),
        result=".program",
        run=("./{result}",),
        sample="#include <stdio.h>\nint main(int count, char **words) { puts(words[1]); }\n",
        counting=Counting(
            tool="clang",
            build=("{tool}", "-x", "c", "-std=gnu17", *_OLD_C, *_OLD_C_FOR_CLANG, *_CLANG_FLAGS),
            needs=_CLANG_NEEDS,
        ),
    ),
    Language(
        name="C++",
        suffixes=("cc", "cpp", "cxx"),
        tool="g++",
        build=("{tool}", "-x", "c++", "-std=gnu++17", *_C_FLAGS),
        result=".program",
        run=("./{result}",),
        sample="#include <iostream>\nint main(int count, char **words) { std::cout << words[1] << '\\n'; }\n",
        counting=Counting(
            tool="clang",
            build=("{tool}", "-x", "c++", "-std=gnu++17", "-fno-exceptions", *_CLANG_FLAGS, *_LIBCXX),
            needs=(*_CLANG_NEEDS, "{home}/lib/wasm32-wasi*/libc++abi.a"),
        ),
    ),
    Language(
        name="Rust",
        suffixes=("rs",),
        tool="rustc",
        build=("{tool}", "-C", "linker=gcc", *_RUST_FLAGS),
        result=".program",
        run=("./{result}",),
        build_memory=2_048,
        finds_itself=True,
        sample='fn main() { println!("{}", std::env::args().nth(1).unwrap()); }\n',
        counting=Counting(
            tool="rustc",
            build=("/bin/sh", "-ec", _RUST_MODULE, "sh", *_RUST_FLAGS, *_RUST_LINK_FLAGS),
            needs=(
                *("{home}/lib/rustlib/wasm32-wasi*/lib", "/usr/lib/wasm32-wasi*/libc.a"),
                "/usr/lib/llvm-*/bin/wasm-ld",
            ),
        ),
    ),
    Language(
        name=PYTHON,
        suffixes=("py",),
        tool="python3",
        build=("{tool}", "-m", "py_compile", "{program}"),
        run=("{tool}", "-u", "-B", "{program}"),
        memory=448,
        reserved=64,
        sample="import sys\nprint(sys.argv[1])\n",
        counting=Counting(check=_CHECK_PYTHON),
    ),
    Language(
        name="JavaScript",
        suffixes=("js", "mjs", "cjs"),
        tool="node",
        build=("{tool}", "--check", "{program}"),
        run=("{tool}", "--max-old-space-size={memory}", "{program}"),
        memory=100,
        reserved=1_436,
        build_memory=1_536,
        processes=32,
        sample="console.log(process.argv[2])\n",
        counting=Counting(check=_CHECK_JAVASCRIPT),
    ),
    Language(
        name="Java",
        suffixes=("java",),
        tool="javac",
        build=("/bin/sh", "-ec", _JAVA_BUILD),
        result=".program.jar",
        run=(
            *("{home}/bin/java", *_JAVA_SMALL, "-XX:ReservedCodeCacheSize=16m", "-XX:-UsePerfData"),
            *("-Xmx{memory}m", "-Xss1m", "-cp", "{result}", "{stem}"),
        ),
        version=("{home}/bin/java", "-Xmx64m", *_JAVA_SMALL, "-version"),
        memory=128,
        reserved=896,
        build_memory=1_536,
        processes=48,
        environment=(("LD_LIBRARY_PATH", "{home}/lib"),),
        folders=("/etc/java-*-openjdk",),
        sample="class sample { public static void main(String[] words) { System.out.println(words[0]); } }\n",
    ),
    Language(
        name="Perl",
        suffixes=("pl",),
        tool="perl",
        build=("{tool}", "-c", "{program}"),
        run=("{tool}", "{program}"),
        sample='print "$ARGV[0]\\n";\n',
    ),
    Language(
        name="shell",
        suffixes=("sh",),
        tool="sh",
        build=("{tool}", "-n", "{program}"),
        run=("{tool}", "{program}"),
        version=("/bin/sh", "-c", "echo sh"),  # a POSIX shell has no option for its version
        sample='echo "$1"\n',
    ),
)


COUNTABLE = tuple(language.name for language in LANGUAGES if language.counting)


def languages_of(settings: Programs) -> tuple[Language, ...]:
    """The contest's own languages, then those of the table; the first that has a suffix gets it.

    A contest's language replaces one of the same name in our table.
    """
    own = tuple(_configured(row) for row in settings.languages)
    names = {language.name for language in own}
    taken = {suffix for language in own for suffix in language.suffixes}
    ours = (_without(language, taken) for language in LANGUAGES if language.name not in names)
    rows = own + tuple(language for language in ours if language.suffixes)
    return tuple(_with_packages(row, settings.python_packages) if row.name == PYTHON else row for row in rows)


def counted_languages_of(settings: Programs) -> tuple[Language, ...]:
    """The languages of programs that are asked for moves: with clock = "fuel", counted if they can be.

    A contest's own rows, and Python with packages, keep processor time.
    """
    rows = languages_of(settings)
    if settings.clock == "cpu":
        return rows
    return tuple(counted(row) if row.name in settings.fuel_languages else row for row in rows)


def counted(row: Language) -> Language:
    """The language, built so that its programs' time can be counted; as it is if that is not possible."""
    if row.counting is None or row.packages:
        return row
    return replace(
        row,
        tool=row.counting.tool,
        build=row.counting.build,
        result=_MODULE if row.counting.tool else "",
        run=(),
        version=("{tool}", "--version"),
        build_memory=row.counting.build_memory,
        processes=32,
        environment=(),
        is_counted=True,
    )


def package_patterns(package: str) -> tuple[str, ...]:
    """Where a package of Python may be on this host, with its facts."""
    return tuple(
        f"{folder}/{package}{rest}" for folder in PYTHON_PACKAGE_FOLDERS for rest in ("", ".*", "-*")
    )


def _with_packages(python: Language, packages: tuple[str, ...]) -> Language:
    """Show Python these packages: the folder or file, what was compiled for it, and its version.

    Debian's libraries for linear algebra are links through /etc/alternatives. A thread for each core would
    break the limits on address space and threads, and be no faster: a program has one core.
    """
    if not packages:
        return python
    patterns = tuple(pattern for package in packages for pattern in package_patterns(package))
    one_thread = (("OPENBLAS_NUM_THREADS", "1"), ("OMP_NUM_THREADS", "1"))
    return replace(
        python,
        packages=packages,
        folders=(*python.folders, *patterns, "/etc/alternatives/*.so*"),
        environment=(*one_thread, *python.environment),
    )


def _configured(row: LanguageRow) -> Language:
    return Language(
        name=row.name,
        suffixes=row.suffixes,
        tool=row.tool,
        run=row.run,
        build=row.build,
        result=row.result,
        version=row.version,
        memory=row.memory_mb,
        reserved=row.reserved_mb,
        build_memory=row.build_memory_mb,
        processes=row.processes,
        environment=tuple(row.environment.items()),
        folders=row.folders,
        sample=row.sample,
    )


def _without(language: Language, taken: AbstractSet[str]) -> Language:
    return replace(language, suffixes=tuple(s for s in language.suffixes if s not in taken))
