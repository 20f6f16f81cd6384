"""Where this user keeps what can be made again: engines, translations, guests, images, templates.

Usually in ~/.cache/knobeln, and root in /var/cache/knobeln, because sandboxes run as a user who
cannot enter root's home. Where that cannot be written, or another user could change what is in it,
a folder for temporary files takes its place. That costs time after each start of the host, and a
line of the log.

A kept file is named after what it was made of and the sha256 of its content. It is found again if
it, its folder and all folders above belong to us or root, nobody else may write them, and its
content still has that sha256. A folder above may be a sticky one, such as /tmp, where nobody can
replace what is ours. The group may write a folder if nobody but its owner is in it, as on Debian
13.
"""

from __future__ import annotations

import grp
import hashlib
import os
import pwd
import stat
import tempfile
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path

from contest.errors import ToolMissing
from contest.util.folders import make_folder, scratch_folder
from contest.util.log import log

_FOR_ALL = 0o755  # root's sandboxes run as another user; those of anybody else, as this user
_ACCESS_LIST = "system.posix_acl_access"


def cache_folder(kind: str) -> Path:
    """Return the folder of this kind, for us alone. Raises ToolMissing where neither folder can be
    used."""
    return _usable(kind, 0o700)


def cache_for_sandboxes(kind: str) -> Path:
    """Return the folder of this kind, which the user of sandboxes can enter, too. Raises
    ToolMissing likewise."""
    return _usable(kind, _FOR_ALL)


def why_unusable(home: Path, kind: str = "", mode: int = 0o700) -> str:
    """Return why nothing can be kept in this folder, which is made if need be; "" if it can."""
    folder = home / kind
    try:
        make_folder(home, _home_mode())
        make_folder(folder, mode)
        if reason := why_unsafe(folder):
            return reason
        return "" if os.access(folder, os.W_OK | os.X_OK) else f"{folder} cannot be written"
    except OSError as error:
        return f"{error.filename or folder}: {error.strerror}"


def usual_home() -> Path:
    """Return where all caches of this user are, unless that folder is unusable."""
    configured = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(configured):
        return Path(configured, "knobeln")
    if _is_root():
        return Path("/var/cache/knobeln")
    home = os.environ.get("HOME", "")
    if not os.path.isabs(home):
        try:
            home = pwd.getpwuid(os.geteuid()).pw_dir
        except KeyError:  # a service's user without a name
            home = "/dev/null"
    return Path(home, ".cache", "knobeln")


def _usable(kind: str, mode: int) -> Path:
    usual = usual_home()
    if not (reason := why_unusable(usual, kind, mode)):
        return usual / kind
    other = Path(tempfile.gettempdir(), f"knobeln-{os.geteuid()}")
    if why_not := why_unusable(other, kind, mode):
        raise ToolMissing(f"nothing can be kept in {usual}: {reason}; nor in {other}: {why_not}")
    _tell(usual, reason, other)
    return other / kind


@cache  # once is enough
def _tell(usual: Path, reason: str, other: Path) -> None:
    log.warning("the usual cache is not used", folder=str(usual), reason=reason, instead=str(other))


def _home_mode() -> int:
    return _FOR_ALL if _is_root() else 0o700


def _is_root() -> bool:
    return os.geteuid() == 0


# --- kept files -----------------------------------------------------------------------------------
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
    """Return whether the group is the user's own: it has the same name, and nobody else is in
    it."""
    try:
        owner, known = pwd.getpwuid(user), grp.getgrgid(group)
    except KeyError:
        return False
    others = {account.pw_name for account in pwd.getpwall() if account.pw_gid == group} | set(
        known.gr_mem
    )
    return owner.pw_gid == group and known.gr_name == owner.pw_name and others <= {owner.pw_name}


def _attributes(place: Path) -> list[str]:
    try:
        return os.listxattr(place, follow_symlinks=False)
    except OSError:  # this file system has none
        return []


def digest_of_sources(facts: Iterable[str], sources: Iterable[Traversable]) -> str:
    """Return the sha256, in hex, of what something is built from: facts, such as compiler and
    options, and files."""
    key = hashlib.sha256("\0".join(facts).encode())
    for source in sources:
        key.update(b"\0" + source.name.encode() + b"\0" + source.read_bytes())
    return key.hexdigest()


def find(folder: Path, names: Collection[str]) -> Mapping[str, Path]:
    """Return the files that `keep` wrote under these names and that nobody can have changed since,
    by name."""
    files: dict[str, Path] = {}
    try:
        if why_unsafe(folder):
            return files
        with os.scandir(folder) as entries:
            for entry in entries:
                name, _, digest = entry.name.rpartition("-")
                if name in names and _has_digest(entry, digest):
                    files[name] = folder / entry.name
    except OSError:
        pass  # it is not there, or somebody cleans it at this moment
    return files


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
