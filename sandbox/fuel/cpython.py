"""CPython as one core module of WebAssembly, which is made here when it is first wanted.

The package componentize-py has it as dynamic libraries, with its standard library, compressed within a file of
machine code that is never run. We join the libraries and system.wat to one module, start it, and put a picture of
its memory into it. Nothing of the host is in the picture, because all that Python can ask while it starts is
answered by our host functions. So the module has the same bytes everywhere.
"""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

from contest.errors import ToolMissing
from sandbox.fuel import engine
from sandbox.fuel.counting import module as wasm
from sandbox.fuel.counting.operators import leb, signed_leb
from sandbox.fuel.linker import PAGE_BYTES, linked
from sandbox.limits import MB, Limits
from sandbox.sandbox import Sandbox

PACKAGE, VERSION = "componentize-py", "0.25.1"
SHA256 = "efa5876b3a01b6e50adc6270796f7a9c962230b66fa98b1b957b2dac8dd04544"
"""Of the module. `python tools/python_guest.py` makes it and writes this line."""

_LIBRARIES = {  # by sha256, in the order in which names are looked up
    "0ab4ec14447d": "libpython3.14.so",
    "4d9173a2b8db": "libwasi-emulated-process-clocks.so",
    "e6758eba79ff": "libwasi-emulated-signal.so",
    "9c09b6361fcf": "libwasi-emulated-getpid.so",
    "f1b113e24a8c": "libc.so",
}
_STANDARD_LIBRARY = ""  # sha256 of its files
_HERE = Path(__file__).parent
_SYSTEM = _HERE / "python_guest" / "system.wat"
_SOURCES = {
    "knobeln_guest.py": _HERE / "python_guest" / "knobeln_guest.py",
    "knobeln_driver.py": _HERE.parent / "players" / "driver.py",
}
_FRAME = b"\x28\xb5\x2f\xfd"  # how what zstd compressed begins
_OWN_FUNCTIONS = ("_initialize", "begin")  # of which the picture is what they did
_BLOCK_BYTES = 4_096
_LIMITS = Limits(
    cpu_seconds=300,
    wall_seconds=600.0,
    address_space_bytes=2_048 * MB,
    output_bytes=128 * MB,
    reserved_bytes=16 * 1024 * MB,
)


def python_module(sandbox: Sandbox) -> bytes:
    """The module, from the cache where it was made before.

    Raises ToolMissing if it cannot be made, or has other bytes than it must have.
    """
    name = f"python-{SHA256[:32]}"
    if found := engine.kept("guests", name):
        return found.read_bytes()
    module = made_python_module(sandbox)
    if SHA256 and hashlib.sha256(module).hexdigest() != SHA256:
        raise ToolMissing("the Python whose time is counted was made with other bytes than it must have")
    engine.keep("guests", name, module)
    return module


def made_python_module(sandbox: Sandbox) -> bytes:
    """Make it, whatever its bytes. Raises ToolMissing if the package or the engine is missing."""
    import wasmtime

    libraries, standard_library = _contents()
    system = bytes(wasmtime.wat2wasm(_SYSTEM.read_text()))
    module = linked([system, *libraries], [*_OWN_FUNCTIONS[1:], "_start"])
    files = {name: path.read_bytes() for name, path in _SOURCES.items()}
    files |= {"module.wasm": module, "library.zip": standard_library}
    result = sandbox.run(
        [*engine.command(), "picture"],
        files={f"/box/picture/{name}": data for name, data in files.items()},
        folders=[str(engine.engine_folder_for(sandbox))],
        limits=_LIMITS,
    )
    if not result.succeeded:
        tail = result.stderr.decode(errors="replace").strip()[-2_000:]
        raise ToolMissing(f"the Python whose time is counted cannot be started ({result.ending}): {tail}")
    return _with_memory(module, result.stdout)


def _contents() -> tuple[list[bytes], bytes]:
    """The dynamic libraries, and the standard library as a zip file."""
    libraries, standard_library = {}, b""
    for content in _compressed():
        digest = hashlib.sha256(content).hexdigest()[:12]
        if digest in _LIBRARIES:
            libraries[digest] = content
        elif len(content) > 5000000 and not content.startswith(b"\0asm"):
            standard_library = _zip_file(content)
    return [libraries[digest] for digest in _LIBRARIES], standard_library


def _compressed() -> Iterator[bytes]:
    """All that the package has compressed."""
    import zstandard

    try:
        package = metadata.distribution(PACKAGE)
        if package.version != VERSION:
            raise metadata.PackageNotFoundError
    except metadata.PackageNotFoundError:
        raise ToolMissing(f"Python, whose time is counted, needs {PACKAGE} {VERSION}; {engine.INSTALL}") from None
    for path in Path(str(package.locate_file("componentize_py"))).glob("*.so"):
        data = path.read_bytes()
        for match in re.finditer(re.escape(_FRAME), data):
            try:
                yield zstandard.ZstdDecompressor().decompressobj().decompress(data[match.start() :])
            except zstandard.ZstdError:
                continue


def _zip_file(archive: bytes) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        texts = {each.name: files.extractfile(each).read() for each in files if each.isfile()}  # type: ignore
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as library:
        for name, text in sorted(texts.items()):
            library.writestr(zipfile.ZipInfo(name), text)
    return out.getvalue()


def _with_memory(module: bytes, memory: bytes) -> bytes:
    """The module, whose memory has these contents at once."""
    sections = wasm.sections(module)
    sections[wasm.MEMORIES] = wasm.vector([b"\x00" + leb(len(memory) // PAGE_BYTES)])
    sections[wasm.DATA] = wasm.vector([*_segments(memory)])
    return wasm.module_of(sections)


def _segments(memory: bytes) -> Iterator[bytes]:
    empty = bytes(_BLOCK_BYTES)
    begin = None
    for at in range(0, len(memory) + 1, _BLOCK_BYTES):
        is_empty = memory[at : at + _BLOCK_BYTES] in (empty, b"")
        if begin is None and not is_empty:
            begin = at
        elif begin is not None and is_empty:
            data = memory[begin:at]
            address = (begin + 2**31) % 2**32 - 2**31
            yield b"\x00\x41" + signed_leb(address) + b"\x0b" + leb(len(data)) + data
            begin = None
