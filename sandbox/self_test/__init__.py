"""Try in a real sandbox what a hostile program would try, for `knobeln doctor`."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path

from contest.errors import ToolMissing
from contest.subprocesses.c_programs import c_program
from contest.util.folders import make_folder, scratch_folder
from sandbox.limits import MB, Limits
from sandbox.sandbox import Sandbox

_SOURCES = Path(__file__).parent
LIMITS = Limits(cpu_seconds=5, address_space_bytes=64 * MB, processes=8)


@dataclass(frozen=True)
class SelfTest:
    """What a program in a sandbox could do; of two programs, the worse. Larger is worse.

    `unfiltered_calls`: how many system calls it could make that the filter must refuse. `children`,
    `megabytes`: how many it got.
    """

    writable_sysctls: int
    reaches_network: bool
    unfiltered_calls: int
    children: int
    megabytes: int

    def breaches(self) -> list[str]:
        """What must not be: sentences, none if all is well."""
        megabytes = LIMITS.address_space_bytes // MB
        wrong = {
            "it can write files of /proc/sys": self.writable_sysctls > 0,
            "it reaches this host's network": self.reaches_network,
            "the filter of system calls refuses too little": self.unfiltered_calls > 0,
            f"it got {self.children} more processes where {LIMITS.processes} are allowed": self.children
            >= LIMITS.processes,
            f"it got {self.megabytes} MB of memory where {megabytes} MB are allowed": self.megabytes
            >= megabytes,
        }
        return [sentence for sentence, is_wrong in wrong.items() if is_wrong]


def built_self_test() -> Path:
    """The program that runs in the sandbox. Raises ToolMissing."""
    try:
        # Static, because an empty image has no libraries.
        return c_program(_SOURCES, ("-O1", "-static"), name="self-test")
    except ToolMissing as error:
        raise ToolMissing(
            f"{error}\nThe test of the sandbox needs the static C library (libc6-dev, or glibc-static)"
        ) from None


@contextmanager
def empty_root(cache: Path) -> Iterator[Path]:
    """Make a temporary image folder that has only the folders that every image has."""
    make_folder(cache, 0o755)
    with scratch_folder(cache) as root:
        root.chmod(0o755)
        for name in ("dev", "proc", "tmp"):
            (root / name).mkdir()
        yield root


def self_test(sandbox: Sandbox, cache: Path) -> SelfTest:
    """Run the test twice: as a program in another language runs, and in an image.

    `cache`: of unpacked images. Raises ToolMissing if it cannot be built or run.
    """
    program = built_self_test().read_bytes()
    with socket.create_server(("127.0.0.1", 0)) as door, empty_root(cache) as root:
        port = str(door.getsockname()[1])
        plain = sandbox.run(["/box/self_test", port], files={"/box/self_test": program}, limits=LIMITS)
        (root / "self_test").write_bytes(program)
        (root / "self_test").chmod(0o755)
        with sandbox.open(["/self_test", port], root=root.resolve(), limits=LIMITS) as process:
            in_image = process.finish(LIMITS.wall_seconds)
    first, second = read_facts(plain.stdout.decode(errors="replace")), read_facts(in_image.text)
    return SelfTest(*(max(pair) for pair in zip(astuple(first), astuple(second), strict=True)))


def require_tight(sandbox: Sandbox, cache: Path) -> None:
    """Raises ToolMissing if a program in the sandbox is not kept in, or if that cannot be tested."""
    if breaches := self_test(sandbox, cache).breaches():
        raise ToolMissing(f"a program in the sandbox is not kept in: {'; '.join(breaches)}")


def read_facts(text: str) -> SelfTest:
    """Read what the program printed. Raises ToolMissing if it did not run to its end."""
    try:
        found = dict(line.split() for line in text.splitlines())
        return SelfTest(
            writable_sysctls=int(found["sysctls"]),
            reaches_network=found["network"] != "0",
            unfiltered_calls=int(found["unfiltered"]),
            children=int(found["children"]),
            megabytes=int(found["megabytes"]),
        )
    except (KeyError, ValueError):
        raise ToolMissing(f"a small program does not run to its end in the sandbox: {text[:200]!r}") from None
