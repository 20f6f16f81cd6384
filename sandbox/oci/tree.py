"""An image's files as its layers make them: a pure model, without a file system.

Layers are laid one upon the other here, whiteouts and all, and only the result is written (unpack.py). So no
link of an image is ever followed on this computer: where a member's folder is a link, it is followed in the
model, and `/` and `..` end at the model's root.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sandbox.oci.refusal import Refused, shown
from sandbox.oci.tar import Kind, Member

MOST_NAME = 255  # bytes of one name, and of
MOST_PATH = 4_000  # a whole path: the kernel's limits
MOST_DEPTH = 128
MOST_HARD_LINKS = 30_000  # a file system's limit for one file is some 65,000
_STEPS_PER_ENTRY = 50  # from folder to folder, in the mean over all entries that there may be
_MOST_FOLLOWED = 40  # links in one path, as the kernel does
_WHITEOUT = b".wh."
_OPAQUE = b".wh..wh..opq"
_AUFS = b".wh..wh."  # marks of one union file system for itself


@dataclass(frozen=True, eq=False)
class File:
    """`offset` and `size` of its contents in the spool. The same object in two places: a hard link."""

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
Place = tuple[list[Folder], list[bytes]]  # the folders from the root on, and the names of all but the root


class Tree:
    """The files of an image. `entries`: how many there may be. Everything raises Refused."""

    def __init__(self, entries: int) -> None:
        self.root = Folder()
        self._most_entries = entries
        self._entries = 0
        self._steps = 0
        self._hard_links = 0

    def lay(self, layer: Iterable[Member]) -> None:
        """One layer upon those that are there: first what it takes away, then what it brings."""
        brought = []
        for member in layer:
            self._count_entry()
            parts = split(member.name)
            if parts and parts[-1].startswith(_WHITEOUT):
                self._take_away(parts)
            else:
                brought.append((parts, member))
        for parts, member in brought:
            self._bring(parts, member)

    def make_empty_folder(self, path: bytes) -> None:
        """A real and empty folder right under the root, whatever was there."""
        self.root.children[path] = Folder()

    def make_folder(self, path: bytes) -> list[bytes]:
        """A folder, if there is none. Its links are followed; where it really is, name by name."""
        return self._made(path.split(b"/"))[1]

    def find(self, path: bytes, start: bytes = b"/") -> File | Folder | None:
        """What a program that stands in `start` finds there, links followed."""
        parts = ([] if path.startswith(b"/") else start.split(b"/")) + path.split(b"/")
        for _ in range(_MOST_FOLLOWED):
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

    def _take_away(self, parts: tuple[bytes, ...]) -> None:
        *way, name = parts
        place = self._go(way, make=False)
        if name == _OPAQUE:
            if place:
                place[0][-1].children.clear()
        elif not name.startswith(_AUFS):
            hidden = name.removeprefix(_WHITEOUT)
            if hidden in (b"", b".", b".."):
                raise Refused(f"{shown(b'/'.join(parts))} takes away nothing that could be there")
            if place:
                place[0][-1].children.pop(hidden, None)

    def _bring(self, parts: tuple[bytes, ...], member: Member) -> None:
        if not parts:
            if member.kind is not Kind.FOLDER:
                raise Refused(f"its root is a {member.kind}")
            return
        *way, name = parts
        folders, names = self._made(way)
        _check_path(names, name)
        here = folders[-1].children
        if member.kind is Kind.FOLDER:
            if not isinstance(here.get(name), Folder):
                here[name] = Folder()
        else:
            here[name] = self._node(member)

    def _node(self, member: Member) -> File | Link:
        if member.kind is Kind.FILE:
            return File(member.offset, member.size, member.executable)
        if member.kind is Kind.LINK:
            return Link(_checked_target(member))
        if member.kind is Kind.HARD_LINK:
            return self._hard_link(member)
        raise Refused(f"{shown(member.name)} is a {member.kind}; images of players have files only")

    def _hard_link(self, member: Member) -> File | Link:
        self._hard_links += 1
        if self._hard_links > MOST_HARD_LINKS:
            raise Refused(f"it has more than {MOST_HARD_LINKS:,} hard links")
        *way, name = split(member.target) or (b"",)
        place = self._go(way, make=False)
        node = place[0][-1].children.get(name) if place else None
        if node is None or isinstance(node, Folder):
            raise Refused(f"{shown(member.name)} is a hard link to {shown(member.target)}, which is no file")
        return node

    def _made(self, way: Iterable[bytes]) -> Place:
        place = self._go(way, make=True)
        assert place is not None  # noqa: S101 - what is made is there
        return place

    def _go(self, way: Iterable[bytes], *, make: bool) -> Place | None:
        """To a folder, through links, as a program inside would. Without `make` None where there is none."""
        folders, names = [self.root], list[bytes]()
        ahead, followed = deque(way), 0
        while ahead:
            self._count_step()
            part = ahead.popleft()
            if part in (b"", b"."):
                continue
            if part == b"..":
                folders, names = folders[:-1] or [self.root], names[:-1]
                continue
            node = folders[-1].children.get(part)
            if isinstance(node, Link):
                followed += 1
                if followed > _MOST_FOLLOWED:
                    _object(way, make)
                    return None
                if node.target.startswith(b"/"):
                    folders, names = [self.root], []
                ahead.extendleft(reversed(node.target.split(b"/")))
                continue
            if node is None and make:
                node = self._new_folder(folders[-1], names, part)
            if not isinstance(node, Folder):
                _object(way, make)
                return None
            folders, names = [*folders, node], [*names, part]
        return folders, names

    def _new_folder(self, parent: Folder, names: list[bytes], name: bytes) -> Folder:
        self._count_entry()
        _check_path(names, name)
        parent.children[name] = folder = Folder()
        return folder

    def _count_entry(self) -> None:
        self._entries += 1
        if self._entries > self._most_entries:
            raise Refused(f"it has more than {self._most_entries:,} files, folders and links")

    def _count_step(self) -> None:
        self._steps += 1
        if self._steps > _STEPS_PER_ENTRY * self._most_entries:
            raise Refused("its folders and links are a maze")


def split(name: bytes) -> tuple[bytes, ...]:
    """A member's name as the way from the root; () is the root itself."""
    parts = tuple(_parts(name))
    if b".." in parts or b"\0" in name:
        raise Refused(f"the name {shown(name)} leads out of the image")
    return parts


def _parts(name: bytes) -> Iterator[bytes]:
    if len(name) > MOST_PATH:
        raise Refused(f"the name {shown(name)} has more than {MOST_PATH:,} bytes")
    return (part for part in name.split(b"/") if part not in (b"", b"."))


def _check_path(names: list[bytes], name: bytes) -> None:
    if len(name) > MOST_NAME or b"\0" in name:
        raise Refused(f"the name {shown(name)} cannot be: at most {MOST_NAME} bytes, and none of them 0")
    if len(names) >= MOST_DEPTH or sum(map(len, names)) + len(names) + len(name) > MOST_PATH:
        raise Refused(
            f"{shown(name)} lies too deep: in more than {MOST_DEPTH} folders, or {MOST_PATH:,} bytes"
        )


def _checked_target(member: Member) -> bytes:
    if not 0 < len(member.target) <= MOST_PATH or b"\0" in member.target:
        raise Refused(f"{shown(member.name)} is a link to something that has no proper name")
    return member.target


def _object(way: Iterable[bytes], make: bool) -> None:
    if make:
        raise Refused(f"{shown(b'/'.join(way))} is used as a folder, and is none")
