"""Translations of programs into native code: made by the C compiler in the jail, kept in a folder of ours.

The engine maps a translation and runs it, so whoever can write one can run code in the engine. Therefore:
- the C text holds nothing of a stranger but numbers (translate.py), and what the compiler makes of it runs
  in the engine only, after that has locked itself up;
- translations lie in one folder that belongs to us and that nobody else can enter; a folder that does not is
  not used;
- a file's name is the digest of all that it was made from: image, translator, compiler, flags;
- a file is written beside its place and then renamed.

Where there is no translation, because a program is too large or takes the compiler too long, or because there
is no compiler or no folder, the interpreter plays: slower, with the same results.
"""

from __future__ import annotations

import hashlib
import os
import platform
import stat
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from contest.errors import ToolMissing
from contest.subprocesses.c_programs import c_compiler, cache_folder, compiler_version
from sandbox.sandbox import WORK, Limits, Sandbox, SandboxResult
from sandbox.vm.image import CODE_BASE, Image
from sandbox.vm.translate import TooLarge, translate

LIMITS = Limits(cpu_seconds=10, wall_seconds=40.0)
# gcc's time grows faster than the program; at -O2 it also goes round and round where many jumps cross each
# other. So -O2 is for the small, and gets half of the time: the other half is for -O1, which does not.
_SMALL = 6_000  # instructions; a program of 10,000 lexical elements has some 3,000
FLAGS = (
    *("-std=gnu11", "-w", "-ffreestanding", "-fno-builtin", "-fwrapv", "-fno-strict-aliasing"),
    *("-fPIC", "-fvisibility=hidden", "-fno-stack-protector", "-fno-asynchronous-unwind-tables"),
    "-fno-tree-loop-distribute-patterns",  # there is no memset to call
    *("-nostdlib", "-static", "-Wl,-T,/box/flat.ld", "-Wl,--build-id=none", "-Wl,--oformat=binary"),
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
_PRIVATE = 0o700
_SMALLEST = Image(CODE_BASE, (0x73).to_bytes(4, "little"), b"", 0)  # ecall, with 0: leave


class NotTranslated(ToolMissing):
    """There is no translation of this program, and why; the interpreter plays it."""


@dataclass(frozen=True)
class Translations:
    """The translations in one folder. Processes may share it; each may add what is missing."""

    folder: Path

    def found(self, images: Iterable[Image]) -> Mapping[str, Path]:
        """The files of those images that have been translated, by digest."""
        if not self._is_private():
            return {}
        paths = {image.digest: self._path(image) for image in images}
        return {digest: path for digest, path in paths.items() if path.is_file()}

    def add(self, image: Image, sandbox: Sandbox) -> Path:
        """The image's translation, made if need be. Raises NotTranslated, with the reason."""
        path = self._path(image)
        if path.is_file() and self._is_private():
            return path
        self._make_private()
        made = compiled(image, sandbox)
        try:
            with tempfile.NamedTemporaryFile(dir=self.folder, prefix="new-", delete=False) as file:
                file.write(made)
            Path(file.name).replace(path)
        except OSError as error:
            raise NotTranslated(f"the translation cannot be kept in {self.folder}: {error}") from None
        return path

    def check(self, sandbox: Sandbox) -> None:
        """Raises NotTranslated where programs cannot be translated here, and says how to mend it."""
        self._make_private()
        compiled(_SMALLEST, sandbox)

    def _path(self, image: Image) -> Path:
        return self.folder / hashlib.sha256(f"{_translator()} {image.digest}".encode()).hexdigest()

    def _make_private(self) -> None:
        try:
            self.folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        except OSError as error:
            raise NotTranslated(f"translations cannot be kept in {self.folder}: {error}") from None
        if not self._is_private():
            raise NotTranslated(
                f"translations are kept in {self.folder} only when it belongs to us and nobody else can "
                "enter it: remove it, or chmod 700 it"
            )

    def _is_private(self) -> bool:
        try:
            facts = self.folder.lstat()
        except OSError:
            return False
        return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o077


def translations() -> Translations:
    """Those of this user: $XDG_CACHE_HOME/knobeln/translations, usually ~/.cache/knobeln/translations."""
    return Translations(cache_folder() / "translations")


@cache
def _translator() -> str:
    """The digest of all that makes translations. Raises ToolMissing without a compiler."""
    compiler = c_compiler()
    words = (compiler, compiler_version(compiler), platform.machine())
    key = hashlib.sha256("\0".join(words).encode())
    for source in _MADE_FROM:
        key.update(b"\0" + source.name.encode() + b"\0" + source.read_bytes())
    return key.hexdigest()


def compiled(image: Image, sandbox: Sandbox, limits: Limits | None = None) -> bytes:
    """The translation as the engine maps it. Raises NotTranslated, with the reason. `limits`: else LIMITS."""
    try:
        text = translate(image)
    except TooLarge as error:
        raise NotTranslated(str(error)) from None
    files = {f"/box/{path.name}": path.read_bytes() for path in (*_HEADERS, _SCRIPT)}
    files["/box/translation.c"] = text.encode()
    limits = limits or LIMITS
    halved = replace(limits, cpu_seconds=limits.cpu_seconds // 2)
    is_small = len(image.code) // 4 <= _SMALL
    for level, granted in (("-O2", halved), ("-O1", halved)) if is_small else (("-O1", limits),):
        result = sandbox.run(_command(level), files=files, limits=granted)
        if result.succeeded:
            return result.stdout
    raise NotTranslated(f"the C compiler {_what_it_did(result)}")


def _command(level: str) -> list[str]:
    # The usual names of the compiler are links through /etc, which no box has.
    compiler = os.path.realpath(c_compiler())
    command = [compiler, *FLAGS, level, "-I/box", "/box/translation.c", "-o", f"{WORK}/translation"]
    return ["/bin/sh", "-c", f'"$@" && exec cat {WORK}/translation', "sh", *command]


def _what_it_did(result: SandboxResult) -> str:
    said = result.stderr.decode(errors="replace").strip()[:2000]
    return f"did not translate the program ({result.ending} {result.code}): {said}"
