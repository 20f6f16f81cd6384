"""Where this user keeps what can be made again: engines, translations, guests, unpacked images.

Usually in ~/.cache/knobeln, and root in /var/cache/knobeln, because sandboxes run as a user who cannot enter
root's home. Where that cannot be written, or another user could change what is in it, a folder for temporary
files takes its place. That costs time after each start of the host, and a line of the log.
"""

from __future__ import annotations

import os
import pwd
import tempfile
from functools import cache
from pathlib import Path

from contest.errors import ToolMissing
from contest.util import kept_files
from contest.util.folders import make_folder
from contest.util.log import log

_FOR_ALL = 0o755  # root's sandboxes run as another user; those of anybody else, as this user


def cache_folder(kind: str) -> Path:
    """The folder of this kind, for us alone. Raises ToolMissing where neither folder can be used."""
    return _usable(kind, 0o700)


def cache_for_sandboxes(kind: str) -> Path:
    """The folder of this kind, which the user of sandboxes can enter, too. Raises ToolMissing likewise."""
    return _usable(kind, _FOR_ALL)


def why_unusable(home: Path, kind: str = "", mode: int = 0o700) -> str:
    """Why nothing can be kept in this folder, which is made if need be; "" if it can."""
    folder = home / kind
    try:
        make_folder(home, _home_mode())
        make_folder(folder, mode)
        if reason := kept_files.why_unsafe(folder):
            return reason
        return "" if os.access(folder, os.W_OK | os.X_OK) else f"{folder} cannot be written"
    except OSError as error:
        return f"{error.filename or folder}: {error.strerror}"


def usual_home() -> Path:
    """Where all caches of this user are, unless that folder is unusable."""
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
