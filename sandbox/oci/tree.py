"""A pure model of an image's files, without a file system.

This module applies the layers in order, with their whiteouts; unpack.py writes only the result. So we
never follow a link of an image on this host. If a member's folder is a link, it is followed in the model,
where `/` and `..` cannot leave the model's root.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from sandbox.oci.refusal import Refused, quoted
from sandbox.oci.tar import Member, MemberKind

MAX_NAME_BYTES = 255  # the kernel's limit
MAX_PATH_BYTES = 4_000  # just below the kernel's limit
MAX_DEPTH = 128
MAX_HARD_LINKS = 30_000  # file systems allow some 65,000 for one file
_MAX_STEPS_PER_ENTRY = 50  # from folder to folder, on average over the maximum number of entries
_MAX_FOLLOWED = 40  # links in one path; the kernel's limit
_WHITEOUT = b".wh."
_OPAQUE = b".wh..wh..opq"
_AUFS = b".wh..wh."  # marks that the union file system AUFS makes for itself


@dataclass(frozen=True, eq=False)
class File:
    """A file. `offset` and `size`: the place of its contents in the spool.

    A hard link is the same object in two places.
    """

    offset: int
    size: int
    executable: bool


@dataclass(frozen=True)
class Link:
    target: bytes


@dataclass
class Folder:
    children: dict[bytes, Node] = field(default_factory=dict)


Node = File | Link | Folder


class FolderPath(NamedTuple):
    """A folder: the folders from the root down to it, and the names of all of them but the root."""

    folders: list[Folder]
    names: list[bytes]


class Tree:
    """The files of an image, at most `max_entries`. All methods raise Refused."""

    def __init__(self, max_entries: int) -> None:
        self.root = Folder()
        self._max_entries = max_entries
        self._entries = 0
        self._steps = 0
        self._hard_links = 0

    def apply(self, layer: Iterable[Member]) -> None:
        """Apply a layer on top of the earlier ones: first its whiteouts, then its files."""
        added = []
        for member in layer:
            self._count_entry()
            parts = split(member.name)
            if parts and parts[-1].startswith(_WHITEOUT):
                self._apply_whiteout(parts)
            else:
                added.append((parts, member))
        for parts, member in added:
            self._add(parts, member)

    def make_empty_folder(self, path: bytes) -> None:
        """Put an empty folder right under the root; it replaces whatever had this name."""
        self.root.children[path] = Folder()

    def make_folder(self, path: bytes) -> list[bytes]:
        """Make a folder, unless it exists. Returns its real path after links, name by name."""
        return self._made(path.split(b"/")).names

    def find(self, path: bytes, start: bytes = b"/") -> File | Folder | None:
        """Return the entry at `path`, after links, for a program whose working folder is `start`."""
        parts = ([] if path.startswith(b"/") else start.split(b"/")) + path.split(b"/")
        for _ in range(_MAX_FOLLOWED):
            *way, last = [part for part in parts if part not in (b"", b".")] or [b""]
            place = self._go([*way, last] if last == b".." else way, make=False)
            if place is None:
                return None
            folders, names = place
            node = folders[-1].children.get(last) if last not in (b"", b"..") else folders[-1]
            if not isinstance(node, Link):
                return node
            parts = ([] if node.target.startswith(b"/") else list(names)) + node.target.split(b"/")
        return None

    def _apply_whiteout(self, parts: tuple[bytes, ...]) -> None:
        *way, name = parts
        place = self._go(way, make=False)
        if name == _OPAQUE:
            if place:
                place.folders[-1].children.clear()
        elif not name.startswith(_AUFS):
            hidden = name.removeprefix(_WHITEOUT)
            if hidden in (b"", b".", b".."):
                raise Refused(f"{quoted(b'/'.join(parts))} deletes nothing that could be there")
            if place:
                place.folders[-1].children.pop(hidden, None)

    def _add(self, parts: tuple[bytes, ...], member: Member) -> None:
        if not parts:
            if member.kind is not MemberKind.FOLDER:
                raise Refused(f"its root is a {member.kind}")
            return
        *way, name = parts
        folders, names = self._made(way)
        _check_path(names, name)
        here = folders[-1].children
        if member.kind is MemberKind.FOLDER:
            if not isinstance(here.get(name), Folder):
                here[name] = Folder()
        else:
            here[name] = self._node(member)

    def _node(self, member: Member) -> File | Link:
        if member.kind is MemberKind.FILE:
            return File(member.offset, member.size, member.executable)
        if member.kind is MemberKind.LINK:
            return Link(_checked_target(member))
        if member.kind is MemberKind.HARD_LINK:
            return self._hard_link(member)
        raise Refused(f"{quoted(member.name)} is a {member.kind}; images of players have files only")

    def _hard_link(self, member: Member) -> File | Link:
        self._hard_links += 1
        if self._hard_links > MAX_HARD_LINKS:
            raise Refused(f"it has more than {MAX_HARD_LINKS:,} hard links")
        *way, name = split(member.target) or (b"",)
        place = self._go(way, make=False)
        node = place.folders[-1].children.get(name) if place else None
        if node is None or isinstance(node, Folder):
            raise Refused(
                f"{quoted(member.name)} is a hard link to {quoted(member.target)}, which is no file"
            )
        return node

    def _made(self, way: Iterable[bytes]) -> FolderPath:
        place = self._go(way, make=True)
        assert place is not None  # noqa: S101 - with `make` it exists
        return place

    def _go(self, way: Iterable[bytes], *, make: bool) -> FolderPath | None:
        """Go to a folder, through links. A missing one is made if `make`; otherwise the result is None."""
        folders, names = [self.root], list[bytes]()
        remaining, followed = deque(way), 0
        while remaining:
            self._count_step()
            part = remaining.popleft()
            if part in (b"", b"."):
                continue
            if part == b"..":
                folders, names = folders[:-1] or [self.root], names[:-1]
                continue
            node = folders[-1].children.get(part)
            if isinstance(node, Link):
                followed += 1
                if followed > _MAX_FOLLOWED:
                    _refuse_if_making(way, make)
                    return None
                if node.target.startswith(b"/"):
                    folders, names = [self.root], []
                remaining.extendleft(reversed(node.target.split(b"/")))
                continue
            if node is None and make:
                node = self._new_folder(folders[-1], names, part)
            if not isinstance(node, Folder):
                _refuse_if_making(way, make)
                return None
            folders, names = [*folders, node], [*names, part]
        return FolderPath(folders, names)

    def _new_folder(self, parent: Folder, names: list[bytes], name: bytes) -> Folder:
        self._count_entry()
        _check_path(names, name)
        parent.children[name] = folder = Folder()
        return folder

    def _count_entry(self) -> None:
        self._entries += 1
        if self._entries > self._max_entries:
            raise Refused(f"it has more than {self._max_entries:,} files, folders and links")

    def _count_step(self) -> None:
        self._steps += 1
        if self._steps > _MAX_STEPS_PER_ENTRY * self._max_entries:
            raise Refused("it takes too many steps to follow its folders and links")


def split(name: bytes) -> tuple[bytes, ...]:
    """Return a member's name as a path from the root; () is the root itself."""
    parts = tuple(_parts(name))
    if b".." in parts or b"\0" in name:
        raise Refused(f"the name {quoted(name)} leads out of the image")
    return parts


def _parts(name: bytes) -> Iterator[bytes]:
    if len(name) > MAX_PATH_BYTES:
        raise Refused(f"the name {quoted(name)} has more than {MAX_PATH_BYTES:,} bytes")
    return (part for part in name.split(b"/") if part not in (b"", b"."))


def _check_path(names: list[bytes], name: bytes) -> None:
    if len(name) > MAX_NAME_BYTES or b"\0" in name:
        raise Refused(
            f"the name {quoted(name)} is not possible: at most {MAX_NAME_BYTES} bytes, and none of them 0"
        )
    if len(names) >= MAX_DEPTH or sum(map(len, names)) + len(names) + len(name) > MAX_PATH_BYTES:
        raise Refused(
            f"{quoted(name)} is too deep: in more than {MAX_DEPTH} folders, or {MAX_PATH_BYTES:,} bytes"
        )


def _checked_target(member: Member) -> bytes:
    if not 0 < len(member.target) <= MAX_PATH_BYTES or b"\0" in member.target:
        raise Refused(f"{quoted(member.name)} is a link to something that has no proper name")
    return member.target


def _refuse_if_making(way: Iterable[bytes], make: bool) -> None:
    if make:
        raise Refused(f"{quoted(b'/'.join(way))} is used as a folder, but is not one")
