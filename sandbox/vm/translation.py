"""Translate programs into native code with the C compiler in the sandbox, and keep the results in a
folder.

The engine maps a translation and runs it, so anybody who can write one can run code in the engine.
Therefore:
- the C text contains nothing foreign but numbers (translate.py), and the code runs in the engine
  only, after the engine has locked itself up;
- translations are in a folder that nobody else can write;
- a file's name has the digest of everything that it was made from (image, translator, compiler,
  flags) and of its content, and a file with another content is not used (contest/util/caches.py);
- a file is written elsewhere first, and then renamed.

If there is no translation (the program is too large or takes the compiler too long, or there is no
compiler or no folder), the interpreter plays: slower, with the same results.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from contest.errors import ToolMissing
from contest.subprocesses.c_programs import c_compiler, compiler_version
from contest.util import caches
from contest.util.caches import cache_folder
from sandbox.limits import Limits
from sandbox.sandbox import WORK, Sandbox
from sandbox.vm.image import CODE_BASE, Image
from sandbox.vm.translate import translate

LIMITS = Limits(cpu_seconds=10, wall_seconds=40.0)
# gcc's time grows faster than the program, and at -O2 it explodes if many jumps cross each other.
# So -O2 is for small programs only, with half of the time. -O1, which does not explode, has all of
# it: a slow host may need four times what ours does. -Og takes half as long as -O2, and programs
# then take at most a tenth longer.
_MAX_SMALL_INSTRUCTIONS = 6_000  # a program of 10,000 lexical elements has some 3,000
FLAGS = (
    "-std=gnu11",
    "-w",
    "-ffreestanding",
    "-fno-builtin",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fno-tree-loop-distribute-patterns",  # because there is no memset to call
    "-nostdlib",
    "-static",
    "-Wl,-T,/box/flat.ld",
    "-Wl,--build-id=none",
    "-Wl,--oformat=binary",
)
_HERE = Path(__file__).parent
_HEADERS = (
    _HERE / "engine" / "machine.h",
    _HERE / "engine" / "translation.h",
    _HERE / "translator" / "native.h",
)
_SCRIPT = _HERE / "translator" / "flat.ld"
_TRANSLATOR = ("instructions.py", "flow.py", "accesses.py", "translate.py", "translation.py")
_MADE_FROM = (*_HEADERS, _SCRIPT, *(_HERE / name for name in _TRANSLATOR))
_SMALLEST = Image(CODE_BASE, (0x73).to_bytes(4, "little"), b"", 0)  # ecall, with 0: leave


class NotTranslated(ToolMissing):
    """Why there is no translation of this program; the interpreter runs it."""


@dataclass(frozen=True)
class Translations:
    """The translations in one folder. Several processes may use it and add to it at once."""

    folder: Path

    def found(self, images: Iterable[Image]) -> Mapping[str, Path]:
        """The files of the images that have a translation, by digest. Without a compiler, which is
        part of their names, there are none."""
        try:
            digests = {_name(image): image.digest for image in images}
        except ToolMissing:
            return {}
        return {digests[name]: path for name, path in caches.find(self.folder, digests).items()}

    def add(self, image: Image, sandbox: Sandbox, *, in_a_hurry: bool = False) -> Path:
        """Translate the image, unless it has a translation; return the file. Raises
        NotTranslated."""
        if translations := self.found([image]):
            return translations[image.digest]
        return self.keep(image, compiled(image, sandbox, in_a_hurry=in_a_hurry))

    def keep(self, image: Image, library: bytes) -> Path:
        """Keep what `compiled` made of the image; return the file. Raises NotTranslated."""
        try:
            return caches.keep(self.folder, _name(image), library)
        except OSError as error:
            raise NotTranslated(
                f"the translation cannot be kept in {self.folder}: {error}"
            ) from None

    def check(self, sandbox: Sandbox) -> None:
        """Raises NotTranslated if programs cannot be translated here."""
        compiled(_SMALLEST, sandbox)


def translations() -> Translations:
    """This user's, in the cache."""
    return Translations(cache_folder("translations"))


def _name(image: Image) -> str:
    return hashlib.sha256(f"{_translator()} {image.digest}".encode()).hexdigest()


@cache
def _translator() -> str:
    """The digest of everything that makes translations. Raises ToolMissing without a compiler."""
    compiler = c_compiler()
    facts = (compiler, compiler_version(compiler), platform.machine())
    return caches.digest_of_sources(facts, _MADE_FROM)


def compiled(
    image: Image, sandbox: Sandbox, limits: Limits | None = None, *, in_a_hurry: bool = False
) -> bytes:
    """The translation as the engine maps it. `limits` defaults to LIMITS. Raises NotTranslated.

    `in_a_hurry`: the compiler works half as long, and the games take a little longer.
    """
    try:
        text = translate(image)
    except ValueError as error:
        raise NotTranslated(str(error)) from None
    files = {f"/box/{path.name}": path.read_bytes() for path in (*_HEADERS, _SCRIPT)}
    files["/box/translation.c"] = text.encode()
    limits = limits or LIMITS
    half = replace(limits, cpu_seconds=limits.cpu_seconds // 2)
    is_small = len(image.code) // 4 <= _MAX_SMALL_INSTRUCTIONS
    for_small = [("-Og" if in_a_hurry else "-O2", half)] if is_small else []
    for level, granted in (*for_small, ("-O1", limits)):
        result = sandbox.run(_command(level), files=files, limits=granted)
        if result.succeeded:
            return result.stdout
    stderr = result.stderr.decode(errors="replace").strip()[:2000]
    raise NotTranslated(
        f"the C compiler did not translate the program ({result.ending} {result.code}): {stderr}"
    )


def _command(level: str) -> list[str]:
    # The compiler's usual name may be a link through /etc, which no sandbox has.
    compiler = os.path.realpath(c_compiler())
    command = [compiler, *FLAGS, level, "-I/box", "/box/translation.c", "-o", f"{WORK}/translation"]
    return ["/bin/sh", "-c", f'"$@" && exec cat {WORK}/translation', "sh", *command]
