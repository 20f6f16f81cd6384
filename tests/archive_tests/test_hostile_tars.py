"""Tar archives that somebody made to harm: each command that unpacks one says what it is, soon, and
leaves nothing.

Backups, published archives and programs have one reader.
"""

import bz2
import gzip
import io
import resource
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from contest.errors import KnobelnError
from contest.programs.archive import NotUnpacked, unpacked
from contest.util.folders import scratch_folder
from contest.util.tar_files import BadTar, Bounds, files_in
from knobeln.archive.former_contests import former_contests
from knobeln.organizer import backup

SECONDS = 3.0  # of processor time
MANY = 60_000


def block(name: str, data: bytes = b"", form: Any = tarfile.GNU_FORMAT, **facts: Any) -> bytes:
    """The header of an entry, and its content."""
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for fact, value in facts.items():
        setattr(info, fact, value)
    return info.tobuf(form) + data.ljust(-(-len(data) // 512) * 512, b"\0")


def packed(*blocks: bytes) -> bytes:
    return gzip.compress(b"".join(blocks) + bytes(1024), 1)


def pax(name: str, data: bytes = b"", /, **headers: str) -> bytes:
    return block(name, data, tarfile.PAX_FORMAT, pax_headers=headers)


def sparse(numbers: str, **headers: str) -> bytes:
    facts = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", **headers}
    return block(
        "contest.db", numbers.encode().ljust(512, b"\0"), tarfile.PAX_FORMAT, pax_headers=facts
    )


def spoiled(raw: bytes, at: int, new: bytes) -> bytes:
    return raw[:at] + new + raw[at + len(new) :]


def zipped() -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        archive.writestr("contest.db", "x")
    return raw.getvalue()


DATABASE = block("contest.db", b"hello")
HOSTILE: dict[str, Callable[[], bytes]] = {
    "holes of 100 TB": lambda: packed(sparse("1\n0\n0\n", **{"GNU.sparse.realsize": f"{10**14}"})),
    "a map of holes that is none": lambda: packed(sparse("zz\n", **{"GNU.sparse.name": "x"})),
    "old holes": lambda: packed(block("contest.db", type=b"S")),
    "older holes": lambda: packed(pax("contest.db", **{"GNU.sparse.size": "9", "path": "x"})),
    "a long name": lambda: packed(block("././@LongLink", b"a" * 10_000_000, type=b"L"), DATABASE),
    "a long header": lambda: packed(block("x", b"9 a=" + b"a" * 10_000_000, type=b"x"), DATABASE),
    "headers alone": lambda: packed(block("x", b"9 a=aaaa\n", type=b"x") * MANY),
    "names alone": lambda: packed(block("././@LongLink", b"a", type=b"L") * MANY),
    "many files": lambda: packed(block("a") * MANY),
    "many folders": lambda: packed(block("a", type=b"5") * MANY),
    "zeros": lambda: packed(block("contest.db", bytes(50_000_000))),
    "a folder with 8 GB": lambda: packed(block("contest.db", type=b"5", size=8**11 - 1)),
    "8 GB that are not there": lambda: packed(block("contest.db", size=8**11 - 1)),
    "a size of 10^18": lambda: packed(pax("contest.db", size=f"{10**18}")),
    "a size below 0": lambda: packed(pax("contest.db", size="-512")),
    "a size in bytes": lambda: packed(spoiled(DATABASE, 124, b"\x80" + bytes(10) + b"\x05")),
    "a size in letters": lambda: packed(spoiled(DATABASE, 124, b"00000000zzz\0")),
    "a wrong sum": lambda: packed(spoiled(DATABASE, 0, b"C")),
    "a link": lambda: packed(block("contest.db", type=b"2", linkname="/etc/passwd")),
    "a hard link": lambda: packed(block("contest.db", type=b"1", linkname="/etc/passwd")),
    "a device": lambda: packed(block("contest.db", type=b"3")),
    "a pipe": lambda: packed(block("contest.db", type=b"6")),
    "an unknown kind": lambda: packed(block("contest.db", type=b"Z")),
    "a folder": lambda: packed(block("contest.db", type=b"5")),
    "outside": lambda: packed(block("../../contest.db", b"x"), block("/contest.db", b"x")),
    "outside, by a header": lambda: packed(pax("contest.db", b"x", path="/etc/x")),
    "escape codes": lambda: packed(block("templates/\x1b]0;x\x07", b"x", type=b"2")),
    "a byte 0": lambda: packed(pax("templates/x", b"x", path="templates/x\0y")),
    "cut off": lambda: packed(block("contest.db", bytes(range(256)) * 4000))[:2_000],
    "bzip2": lambda: bz2.compress(DATABASE),
    "no file": lambda: b"",
    "blanks": lambda: bytes(100_000),
    "text": lambda: b"Dear organizer",
    "gzipped text": lambda: gzip.compress(b"Dear organizer" * 100),
    "zip": zipped,
    "a gzip of a gzip": lambda: gzip.compress(packed(DATABASE)),
}


def as_backup(file: Path, to: Path) -> None:
    backup.restore(file, to / "contest", trust=True)


def as_field(file: Path, _to: Path) -> None:
    with former_contests([file]):
        pass


def as_program(file: Path, _to: Path) -> None:
    unpacked("bot.tar.gz", file.read_bytes())


@pytest.mark.slow
@pytest.mark.parametrize("read", [as_backup, as_field, as_program])
def test_what_harms_is_told_soon_and_leaves_nothing(
    read: Callable[[Path, Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name, make in HOSTILE.items():
        file = tmp_path / "hostile.tar.gz"
        file.write_bytes(make())
        began = time.process_time()
        with pytest.raises((KnobelnError, NotUnpacked)) as told:
            read(file, tmp_path)
        assert time.process_time() - began < SECONDS, name
        assert len(str(told.value)) < 600, name
        assert "\x1b" not in str(told.value), name
        assert [path.name for path in tmp_path.iterdir()] == ["hostile.tar.gz"], name


@pytest.mark.parametrize(
    "templates",
    [
        ["a" * 300],
        ["d/" * 3_000 + "x"],
        ["d/" * 12 + "x"],
        ["x", "x"],
        ["x/y", "x"],
        ["x", "x/y"],
        ["../x", "./../../x", "x\0"],
        [f"{number}" for number in range(2_000)],
    ],
)
def test_templates_that_no_backup_has_are_left_out_or_told(
    templates: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "hostile.tar.gz"
    names = (pax(name, b"x", path=f"templates/{name}") for name in templates)
    file.write_bytes(packed(*names, DATABASE))
    with pytest.raises(KnobelnError):
        backup.restore(file, tmp_path / "contest", trust=True)
    assert [path.name for path in tmp_path.iterdir()] == ["hostile.tar.gz"]


def test_trust_is_asked_for_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "hostile.tar.gz"
    file.write_bytes(packed(DATABASE, block("contest.toml", b"x"), block("templates/a", b"xy")))
    monkeypatch.setattr("contest.util.folders.tempfile.mkdtemp", lambda *_args, **_more: 1 / 0)
    with pytest.raises(KnobelnError, match=r"templates/a \(2 bytes\)"):
        backup.restore(file, tmp_path / "contest")


def test_nothing_but_a_piece_is_in_memory() -> None:
    stream = io.BytesIO(gzip.compress(block("a", bytes(200_000_000)), 1))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (file,) = (file for file in files_in(stream, Bounds(10, 10**9)) if sum(map(len, file.pieces())))
    assert file.size == 200_000_000
    # the archive itself was larger in memory while it was made
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


def endless() -> Iterator[bytes]:
    yield block("contest.db", size=10**9)
    while True:
        yield b"1234567890abcdef" * 65_536


@pytest.mark.slow
def test_a_restore_that_is_ended_leaves_nothing(tmp_path: Path) -> None:
    file, contest = tmp_path / "large.tar", tmp_path / "contest"
    with file.open("wb") as to:
        pieces = endless()
        for _ in range(400):
            to.write(next(pieces))
        to.truncate(10**9 + 1_536)
    command = [sys.executable, "-m", "knobeln", "restore", "-C", str(contest), str(file)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as restore:
        while not list(contest.glob("*/contest.db")):
            assert restore.poll() is None
            time.sleep(0.01)
        restore.send_signal(signal.SIGTERM)
        restore.wait(20)
    assert not contest.exists()


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_what_is_no_harm_is_read_in_every_form(form: Any) -> None:
    contents = {"a": b"1" * 513, "d/ä": b"", "n" * 120 + "/" + "f" * 90: b"3" * 512}
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz", format=form) as archive:
        archive.addfile(tarfile.TarInfo("d"))
        for name, data in contents.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    raw.seek(0)
    read = {file.path: b"".join(file.pieces()) for file in files_in(raw, Bounds(10, 2_000))}
    assert read == {"d": b"", **contents}
    raw.seek(0)
    with pytest.raises(BadTar, match="too many bytes"):
        list(files_in(raw, Bounds(10, 1_000)))


def test_what_a_killed_process_has_unpacked_is_removed_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / ".knobeln-scratch-left"
    left.mkdir()
    (left / "contest.db").write_bytes(b"x")
    with scratch_folder(tmp_path):
        assert not left.exists()
