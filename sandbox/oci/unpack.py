"""Unpack an image archive into a folder that can be the root of a sandbox."""

from __future__ import annotations

import fcntl
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from contest.errors import TryAgain
from contest.private_folder import make_folder
from sandbox.oci.formats import FoundImage, read_archive
from sandbox.oci.image import COVERED, ROOT, SETTINGS, OciImage, mark_used
from sandbox.oci.limits import OciLimits
from sandbox.oci.refusal import ImageProblem, Refused, quoted
from sandbox.oci.run import PATH, Run, run_of
from sandbox.oci.spool import Part, Spool
from sandbox.oci.tar import members
from sandbox.oci.tree import File, Folder, Link, Tree

_UNFINISHED = ".fresh-"
_LOCK = ".lock"


def unpack(archive: Path | bytes, cache: Path, limits: OciLimits | None = None) -> OciImage | ImageProblem:
    """Unpack the image in an archive into the cache; return it, or why it is refused.

    An archive that is in the cache already is not unpacked again. If the process is killed, nothing is left
    that looks like an image. To make room, the images that were used longest ago and that nobody holds are
    removed. Raises TryAgain if the cache cannot be written.
    """
    limits = limits or OciLimits()
    try:
        with _opened(archive) as file:
            packed = Part(file, 0, file.seek(0, os.SEEK_END))
            if packed.size > limits.archive_bytes:
                return ImageProblem(
                    f"it has {packed.size:,} bytes; at most {limits.archive_bytes:,} are taken"
                )
            if packed.size == 0:
                return ImageProblem("the archive is empty")
            return _known(packed.digest(), cache) or _unpacked(packed, cache, limits)
    except Refused as refused:
        return ImageProblem(str(refused))
    except OSError as error:
        raise TryAgain(f"the image could not be unpacked into {cache}: {error}") from error


@contextmanager
def _opened(archive: Path | bytes) -> Iterator[BinaryIO]:
    if isinstance(archive, bytes):
        yield io.BytesIO(archive)
    else:
        with archive.open("rb") as file:
            yield file


def _known(digest: str, cache: Path) -> OciImage | None:
    try:
        return OciImage.from_bytes((cache / digest / SETTINGS).read_bytes(), cache)
    except (OSError, ValueError):
        return None


def _unpacked(packed: Part, cache: Path, limits: OciLimits) -> OciImage:
    make_folder(cache, 0o755)
    digest = packed.digest()
    with (
        _locked(cache),
        tempfile.TemporaryFile(dir=cache) as outer,
        tempfile.TemporaryFile(dir=cache) as scratch,
    ):
        if known := _known(digest, cache):  # another process was quicker, and may be using it
            return known
        plain = Spool(outer, limits.unpacked_bytes).plain(packed, "the archive")
        found = read_archive(plain, limits)
        tree = _tree(found, Spool(scratch, limits.unpacked_bytes), limits)
        size = scratch.seek(0, os.SEEK_END)
        image = OciImage(digest, _runnable(found, tree), cache, len(found.layers), size)
        _make_room(cache, limits.kept_bytes - size)
        _keep(image, tree, scratch)
        return image


@contextmanager
def _locked(cache: Path) -> Iterator[None]:
    """Lock the cache, and remove unfinished folders: with the lock held, only killed processes left them."""
    with (cache / _LOCK).open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for unfinished in cache.glob(f"{_UNFINISHED}*"):
            shutil.rmtree(unfinished)
        yield


def _make_room(cache: Path, max_bytes: int) -> None:
    """Remove the images that were used longest ago, until the others take at most `max_bytes`."""
    marks = sorted(cache.glob(f"*/{SETTINGS}"), key=lambda mark: mark.stat().st_mtime_ns, reverse=True)
    kept = 0
    for mark in marks:
        image = _known(mark.parent.name, cache)
        kept += image.unpacked_bytes if image else max_bytes
        if kept > max_bytes:
            _remove(mark)


def _remove(mark: Path) -> None:
    """Remove the image of this settings file, unless somebody holds it."""
    with mark.open("rb") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        gone = mark.parent.with_name(f"{_UNFINISHED}{mark.parent.name}")
        mark.parent.rename(gone)  # in one step, so that nobody finds half of it
    shutil.rmtree(gone)


def _tree(found: FoundImage, spool: Spool, limits: OciLimits) -> Tree:
    tree = Tree(limits.entries)
    digests = found.configuration.rootfs.diff_ids
    for number, (packed, digest) in enumerate(zip(found.layers, digests, strict=True), start=1):
        layer = spool.take(packed, f"layer {number}")
        if f"sha256:{layer.digest()}" != digest:
            raise Refused(
                f"layer {number} does not have the digest {digest[:19]}... of the image's configuration"
            )
        tree.apply(members(layer.file, layer.offset, layer.size))
    for name in COVERED:
        tree.make_empty_folder(name)
    return tree


def _runnable(found: FoundImage, tree: Tree) -> Run:
    """Return how to run it. Raises Refused, so that a missing command does not fail on contest day."""
    run = run_of(found.configuration.config)
    path = tree.make_folder(os.fsencode(run.folder))
    if path and path[0] in COVERED and path != [b"tmp"]:
        raise Refused(
            f"its working folder {quoted(run.folder)} is not kept: /dev, /proc and /tmp are empty here"
        )
    program = (run.entrypoint or run.command)[0]
    if not any(_is_program(tree, path, run.folder) for path in _candidates(program, run)):
        raise Refused(f"its command {quoted(program)} is not a program in the image")
    return run


def _candidates(program: str, run: Run) -> list[str]:
    if "/" in program:
        return [program]
    return [f"{folder}/{program}" for folder in run.environment.get("PATH", PATH).split(":")]


def _is_program(tree: Tree, path: str, start: str) -> bool:
    node = tree.find(os.fsencode(path), os.fsencode(start))
    return isinstance(node, File) and node.executable


def _keep(image: OciImage, tree: Tree, scratch: BinaryIO) -> None:
    fresh = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=image.cache))
    with (fresh / SETTINGS).open("wb") as mark:
        mark.write(image.to_bytes())
        mark.flush()
        mark_used(mark)
    (fresh / ROOT).mkdir()
    scratch.flush()  # the writer copies through its descriptor
    _Writer(scratch.fileno(), fresh / ROOT).write(tree)
    fresh.chmod(0o755)
    os.sync()  # after a power cut, empty files in an image would look like the team's fault
    shutil.rmtree(image.folder, ignore_errors=True)  # a damaged image, whose settings could not be read
    fresh.rename(image.folder)


class _Writer:
    """Writes a tree into an empty folder.

    It creates every entry by its name in a folder that it has made itself and holds open, so no link can lead
    elsewhere. Nothing is set-user-id, and everybody may read everything.
    """

    def __init__(self, scratch: int, root: Path) -> None:
        self._scratch = scratch
        self._root = root
        self._written: dict[int, bytes] = {}  # the first path of each file, for hard links

    def write(self, tree: Tree) -> None:
        self._top = os.open(self._root, os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            self._fill(tree.root, self._top, b"")
        finally:
            os.close(self._top)

    def _fill(self, folder: Folder, here: int, path: bytes) -> None:
        os.fchmod(here, 0o755)
        for name, node in folder.children.items():
            if isinstance(node, Folder):
                self._folder(node, here, name, path + name + b"/")
            elif isinstance(node, Link):
                os.symlink(node.target, name, dir_fd=here)
            else:
                self._file(node, here, name, path + name)

    def _folder(self, folder: Folder, here: int, name: bytes, path: bytes) -> None:
        os.mkdir(name, 0o755, dir_fd=here)
        descriptor = os.open(name, os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
        try:
            self._fill(folder, descriptor, path)
        finally:
            os.close(descriptor)

    def _file(self, file: File, here: int, name: bytes, path: bytes) -> None:
        first = self._written.setdefault(id(file), path)
        if first != path:
            os.link(first, name, src_dir_fd=self._top, dst_dir_fd=here, follow_symlinks=False)
            return
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=here)
        try:
            _copy(self._scratch, descriptor, file.offset, file.size)
            os.fchmod(descriptor, 0o555 if file.executable else 0o444)
        finally:
            os.close(descriptor)


def _copy(source: int, target: int, offset: int, size: int) -> None:
    end = offset + size
    while offset < end:
        sent = os.sendfile(target, source, offset, end - offset)
        if not sent:
            raise OSError("the scratch file is shorter than it was")
        offset += sent
