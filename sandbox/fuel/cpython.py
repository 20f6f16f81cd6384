"""CPython as one core module of WebAssembly, which is made here when it is first wanted.

The package componentize-py has it as dynamic libraries, with its standard library. They are
compressed, in a file of machine code that is never run. We join them and python_guest/system.wat to
one module, start it, and put a picture of its memory into it. Whatever Python asks while it starts,
our host functions answer: nothing of the host is in the picture, and the module has the same bytes
everywhere.
"""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from contest.errors import ToolMissing
from sandbox.fuel import engine
from sandbox.fuel.counting import module as wasm
from sandbox.fuel.counting.operators import Refused, leb
from sandbox.fuel.linker import PAGE_BYTES, data_segment, linked
from sandbox.sandbox import Sandbox

PACKAGE, VERSION = "componentize-py", "0.25.1"
SHA256 = "7701754cd99a698df132571a514821d8060cc1f3083c8f91a3503f43dc50b714"
"""Of the module. `python tools/python_guest.py` makes it and writes this line."""

_LIBRARIES = (  # by sha256, in the order in which names are looked up
    "0ab4ec14447dc6a983de96b294d904a9a2b77126a1b96ff1a6ae340c72405549",  # libpython3.14
    # libwasi-emulated-process-clocks
    "4d9173a2b8dbeaf1f6aca286c50eec651ef03bbe5c4c61cc8e2a5c0f3f3141c0",
    "e6758eba79ff4f6daf93e4cab0ea6768ccb0d2657b00369ff4599d0593c1f4e9",  # libwasi-emulated-signal
    "9c09b6361fcf03bfa26a11e39177462472a2c293dbed9d9020b0c08b47166e8b",  # libwasi-emulated-getpid
    "f1b113e24a8c7774f361d7318ababd98124f3b75889f8b5fc0ab10f97c17e42d",  # libc
)
_IN_STANDARD_LIBRARY = "encodings/__init__.py"
_GUEST = Path(__file__).parent / "python_guest"
_SYSTEM = _GUEST / "system.wat"
_SOURCES = {name: _GUEST / name for name in ("knobeln_guest.py", "knobeln_driver.py")}
_COMPRESSED = re.compile(rb"\x28\xb5\x2f\xfd")  # how what zstd compressed begins
_BLOCK_BYTES = 4_096


def python_module(sandbox: Sandbox) -> bytes:
    """The module, from the cache where it was made before.

    Raises ToolMissing if it cannot be made, or has other bytes than it must have.
    """
    name = f"python-{SHA256[:32]}"
    if found := engine.kept("guests", name):
        return found.read_bytes()
    module = made_python_module(sandbox)
    if hashlib.sha256(module).hexdigest() != SHA256:
        raise ToolMissing(
            "the Python whose time is counted was made with other bytes than it must have"
        )
    engine.keep("guests", name, module)
    return module


def made_python_module(sandbox: Sandbox) -> bytes:
    """Make it, whatever its bytes. Raises ToolMissing if the package or the engine is missing."""
    libraries, standard_library = _contents()
    files = {name: path.read_bytes() for name, path in _SOURCES.items()}
    try:
        system = engine.by_worker(sandbox, "assemble", stdin=_SYSTEM.read_bytes())
        module = linked([system, *libraries], ["begin", "_start"])
        files |= {"module.wasm": module, "library.zip": standard_library}
        shown = {f"/box/picture/{name}": data for name, data in files.items()}
        memory = engine.by_worker(sandbox, "picture", files=shown, has_memory=True)
    except Refused as error:
        raise ToolMissing(f"{PACKAGE} {VERSION} cannot be used: it has {error}") from None
    except engine.NotCompiled as error:
        raise ToolMissing(f"the Python whose time is counted cannot be made: {error}") from None
    return _with_memory(module, memory)


# --- the package ----------------------------------------------------------------------------------
def _contents() -> tuple[list[bytes], bytes]:
    """The dynamic libraries, and the standard library as a zip file. Raises ToolMissing."""
    libraries, standard_library = {}, b""
    for content in _compressed():
        if (digest := hashlib.sha256(content).hexdigest()) in _LIBRARIES:
            libraries[digest] = content
        elif not standard_library:
            standard_library = _zip_file(content)
    if len(libraries) < len(_LIBRARIES) or not standard_library:
        raise ToolMissing(
            f"{PACKAGE} {VERSION} has other files than it must have; {engine.INSTALL}"
        )
    return [libraries[digest] for digest in _LIBRARIES], standard_library


def _compressed() -> Iterator[bytes]:
    """All that the package has compressed. Its packages for x86_64 and aarch64 have the same
    there."""
    try:
        import zstandard

        package = metadata.distribution(PACKAGE)
        if package.version != VERSION:
            raise ImportError
    except (ImportError, metadata.PackageNotFoundError):
        raise ToolMissing(
            f"Python, whose time is counted, needs {PACKAGE} {VERSION} and zstandard;"
            f" {engine.INSTALL}"
        ) from None
    for path in Path(str(package.locate_file("componentize_py"))).glob("*.so"):
        data = path.read_bytes()
        for begin in _COMPRESSED.finditer(data):
            try:
                yield zstandard.ZstdDecompressor().decompressobj().decompress(data[begin.start() :])
            except zstandard.ZstdError:  # these four bytes are something else
                continue


def _zip_file(archive: bytes) -> bytes:
    """What Python can import from; b"" if that is not the archive with the standard library."""
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as files:
            texts = {
                each.name: found.read() for each in files if (found := files.extractfile(each))
            }
    except tarfile.TarError:
        return b""
    if _IN_STANDARD_LIBRARY not in texts:
        return b""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as library:
        for name, text in sorted(texts.items()):
            library.writestr(zipfile.ZipInfo(name), text)
    return out.getvalue()


# --- the picture ----------------------------------------------------------------------------------
def _with_memory(module: bytes, memory: bytes) -> bytes:
    """The module, whose memory has these contents at its start."""
    sections = wasm.sections(module)
    sections[wasm.MEMORIES] = wasm.vector([b"\0" + leb(len(memory) // PAGE_BYTES)])
    sections[wasm.DATA] = wasm.vector([data_segment(at, data) for at, data in _pieces(memory)])
    return wasm.module_of(sections)


def _pieces(memory: bytes) -> Iterator[tuple[int, bytes]]:
    """What is in memory, without blocks that are empty: addresses and bytes."""
    empty, begin = bytes(_BLOCK_BYTES), None
    for at in range(0, len(memory) + 1, _BLOCK_BYTES):
        if memory[at : at + _BLOCK_BYTES] in (empty, b""):
            if begin is not None:
                yield begin, memory[begin:at]
            begin = None
        elif begin is None:
            begin = at
