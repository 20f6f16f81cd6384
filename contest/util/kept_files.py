"""Keep native code that we built in a folder, and find it again only if nobody else can have changed it.

A file is named after what it was made of and the sha256 of its content. It is found again if it, its folder
and all folders above belong to us or root, nobody else may write them, and its content still has that sha256.
A folder above may be a sticky one, such as /tmp, where nobody can replace what is ours. The group may write a
folder if nobody but its owner is in it, as on Debian 13.
"""

from __future__ import annotations

import grp
import hashlib
import os
import pwd
import stat
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path

from contest.util.folders import make_folder, scratch_folder

_ACCESS_LIST = "system.posix_acl_access"


def why_unsafe(path: Path) -> str | None:
    """Say why another user could change what is at `path`; None if nobody can but we and root.

    Raises OSError if nothing is there.
    """
    path = Path(os.path.abspath(path))
    path.stat()  # so that a circle of links ends here
    for place in (*reversed(path.parents), path):
        facts = place.lstat()
        if facts.st_uid not in (0, os.geteuid()):
            return f"{place} belongs to another user"
        if stat.S_ISLNK(facts.st_mode):
            if reason := why_unsafe(place.parent / place.readlink()):
                return reason
        elif _others_write(place, facts) and not (facts.st_mode & stat.S_ISVTX and place != path):
            return f"other users may write {place} (fix it by `chmod go-w {place}`)"
    return None


def _others_write(place: Path, facts: os.stat_result) -> bool:
    if facts.st_mode & stat.S_IWOTH:
        return True
    return bool(facts.st_mode & stat.S_IWGRP) and not (
        _is_alone(facts.st_uid, facts.st_gid) and _ACCESS_LIST not in _attributes(place)
    )


def _is_alone(user: int, group: int) -> bool:
    """Whether the group is the user's own: it has the same name, and nobody else is in it."""
    try:
        owner, known = pwd.getpwuid(user), grp.getgrgid(group)
    except KeyError:
        return False
    others = {each.pw_name for each in pwd.getpwall() if each.pw_gid == group} | set(known.gr_mem)
    return owner.pw_gid == group and known.gr_name == owner.pw_name and others <= {owner.pw_name}


def _attributes(place: Path) -> list[str]:
    try:
        return os.listxattr(place, follow_symlinks=False)
    except OSError:  # this file system has none
        return []


def digest_of_sources(facts: Iterable[str], sources: Iterable[Traversable]) -> str:
    """The sha256, in hex, of what something is built from: facts, such as compiler and options, and files."""
    key = hashlib.sha256("\0".join(facts).encode())
    for source in sources:
        key.update(b"\0" + source.name.encode() + b"\0" + source.read_bytes())
    return key.hexdigest()


def find(folder: Path, names: Collection[str]) -> Mapping[str, Path]:
    """The files that `keep` wrote under these names and that nobody can have changed since, by name."""
    found: dict[str, Path] = {}
    try:
        if why_unsafe(folder):
            return found
        with os.scandir(folder) as entries:
            for entry in entries:
                name, _, digest = entry.name.rpartition("-")
                if name in names and _has_digest(entry, digest):
                    found[name] = folder / entry.name
    except OSError:
        pass  # it is not there, or somebody cleans it at this moment
    return found


def keep(folder: Path, name: str, data: bytes, *, mode: int = 0o600) -> Path:
    """Write the file into the folder, which is made if needed; return its path.

    Raises OSError if it cannot be written, PermissionError if other users could change it there.
    """
    make_folder(folder)
    if reason := why_unsafe(folder):
        raise PermissionError(f"{reason}, so they could change what we run")
    path = folder / f"{name}-{hashlib.sha256(data).hexdigest()}"
    with scratch_folder(folder) as scratch:
        draft = scratch / "draft"
        draft.write_bytes(data)
        draft.chmod(mode)
        draft.replace(path)
    return path


def _has_digest(entry: os.DirEntry[str], digest: str) -> bool:
    facts = entry.stat(follow_symlinks=False)
    if not stat.S_ISREG(facts.st_mode) or facts.st_uid not in (0, os.geteuid()):
        return False
    if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return False
    version = (facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
    return _digest(entry.path, version) == digest


@lru_cache(maxsize=4_096)
def _digest(path: str, _version: tuple[int, ...]) -> str:
    """The file's sha256, computed once in a process unless the file changes."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
