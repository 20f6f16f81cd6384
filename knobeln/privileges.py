"""Give up root: letters of strangers are read, and games are played, as an ordinary user."""

from __future__ import annotations

import os
import pwd
import stat
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from contest.config.load import FILE_NAME
from contest.util.folders import hand_over

USUAL_USER = "knobeln"
_XDG_FOLDERS = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")


@dataclass(frozen=True)
class User:
    """An ordinary user. `home`: an existing folder; `name`: the number, if the user has no name."""

    name: str
    number: int
    group: int
    groups: Sequence[int]
    home: Path


def user_for(folder: Path) -> User | str | None:
    """The user that root becomes for the contest in this folder, or why root stays root.

    That is the folder's owner, or the user `knobeln` if the folder is root's. None: we are not
    root, or there is no contest in the folder.
    """
    if os.geteuid() != 0 or not (folder / FILE_NAME).exists():
        return None
    owner = folder.stat()
    if owner.st_uid:
        user = _user(owner.st_uid, owner.st_gid, folder)
    else:
        try:
            user = _user(pwd.getpwnam(USUAL_USER).pw_uid, owner.st_gid, folder)
        except KeyError:
            return f"{folder} is root's, and there is no user `{USUAL_USER}`"
    if closed := _closed_to(user, folder.resolve().parent) or program_closed_to(user):
        return f"the user {user.name} cannot enter {closed}"
    return user


def program_closed_to(user: User) -> Path | None:
    """The first folder on the way to this program that the user may not enter; None if there is
    none."""
    parts = (Path(sys.executable), Path(os.__file__), Path(__file__))
    return next((closed for part in parts if (closed := _closed_to(user, part))), None)


def become(user: User, folder: Path) -> None:
    """Become this user for good. What is root's in the contest's folder becomes the user's.

    No database in the folder may be open. From now on we cannot trace our past: the kernel keeps
    this process from others of the same user, too.
    """
    hand_over(folder, user.number, user.group)
    os.setgroups(user.groups)
    os.setresgid(user.group, user.group, user.group)
    os.setresuid(user.number, user.number, user.number)
    os.environ.update(HOME=str(user.home), USER=user.name, LOGNAME=user.name)
    for name in _XDG_FOLDERS:
        if name in os.environ and not os.access(os.environ[name], os.W_OK | os.X_OK):
            del os.environ[name]
    tempfile.tempdir = None  # so that it is looked for again, as this user
    if not os.access(".", os.X_OK):
        os.chdir(folder)


def _user(number: int, group: int, folder: Path) -> User:
    try:
        known = pwd.getpwuid(number)
    except KeyError:
        return User(str(number), number, group, (group,), folder)
    groups = os.getgrouplist(known.pw_name, known.pw_gid)
    home = Path(known.pw_dir)
    return User(known.pw_name, number, known.pw_gid, groups, home if home.is_dir() else folder)


def _closed_to(user: User, path: Path) -> Path | None:
    """The first folder on the way to `path` that the user may not enter; None if there is none."""
    for place in (path, path.resolve()):
        folders = [*reversed(place.parents)]
        if place.is_dir():
            folders.append(place)
        for folder in folders:
            if not _may_enter(user, folder.stat()):
                return folder
    return None


def _may_enter(user: User, folder: os.stat_result) -> bool:
    if folder.st_uid == user.number:
        right = stat.S_IXUSR
    elif folder.st_gid in user.groups:
        right = stat.S_IXGRP
    else:
        right = stat.S_IXOTH
    return bool(folder.st_mode & right)
