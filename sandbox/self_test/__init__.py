"""Try in a real sandbox what a hostile program would try, for `knobeln doctor`."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from contest.errors import ToolMissing
from contest.subprocesses.c_programs import c_program
from contest.util.folders import make_folder, scratch_folder
from sandbox.limits import MB, Limits
from sandbox.sandbox import Sandbox

_SOURCES = Path(__file__).parent
LIMITS = Limits(cpu_seconds=5, address_space_bytes=64 * MB, processes=8)
ALLOWED = (str(LIMITS.processes), str(LIMITS.address_space_bytes // MB))


def built_self_test() -> Path:
    """Return the program that runs in the sandbox. Raises ToolMissing."""
    try:
        # Static, because an empty image has no libraries.
        return c_program(_SOURCES, ("-O1", "-static"), name="self-test")
    except ToolMissing as error:
        raise ToolMissing(
            f"{error}\nThe test of the sandbox needs the static C library (libc6-dev, or"
            " glibc-static)"
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


def self_test(sandbox: Sandbox, cache: Path) -> list[str]:
    """Return what must not be, as sentences; [] if all is well.

    The program runs twice: as one in another language runs, and in an image. `cache`: of unpacked
    images. Raises ToolMissing if it cannot be built or run.
    """
    program = built_self_test().read_bytes()
    with socket.create_server(("127.0.0.1", 0)) as door, empty_root(cache) as root:
        words = (str(door.getsockname()[1]), *ALLOWED)
        plain = sandbox.run(
            ["/box/self_test", *words], files={"/box/self_test": program}, limits=LIMITS
        )
        (root / "self_test").write_bytes(program)
        (root / "self_test").chmod(0o755)
        with sandbox.open(["/self_test", *words], root=root.resolve(), limits=LIMITS) as process:
            in_image = process.finish(LIMITS.wall_seconds)
    return list(
        dict.fromkeys((*holes(plain.stdout.decode(errors="replace")), *holes(in_image.text)))
    )


def require_tight(sandbox: Sandbox, cache: Path) -> None:
    """Raises ToolMissing if a program in the sandbox is not kept in, or if that cannot be
    tested."""
    if ways_out := self_test(sandbox, cache):
        raise ToolMissing(f"a program in the sandbox is not kept in: {'; '.join(ways_out)}")


def holes(text: str) -> list[str]:
    """Read what the program printed. Raises ToolMissing if it did not run to its end."""
    *ways_out, last = text.splitlines() or [""]
    if last != "end":
        raise ToolMissing(f"a small program does not run to its end in the sandbox: {text[:200]!r}")
    return ways_out
