"""Folders in a sandbox, and whether it can show a folder of the host."""

import os
import stat
from pathlib import Path

from contest.errors import ToolMissing

WORK = "/work"  # the one folder that the command may write; also its working directory and home
# Packages of the system's Python, as patterns. A sandbox shows none but those that `Contents.folders` names.
PYTHON_PACKAGE_FOLDERS = tuple(
    f"{above}/python3*/{folder}"
    for above in ("/usr/lib", "/usr/lib64", "/usr/local/lib")
    for folder in ("dist-packages", "site-packages")
)


def check_reachable(place: Path, user: int | None, what: str) -> None:
    """Raises ToolMissing unless the user that sandboxes run as can enter `place` and the folders above it.

    `user`: see Sandbox.user. `what` is kept there, for the message: a noun in the plural.
    """
    if user is None:
        return
    place = place.resolve()
    closed = [each for each in (place, *place.parents) if not os.stat(each).st_mode & stat.S_IXOTH]
    if closed:
        raise ToolMissing(
            f"{what} are started by the user {user}, who cannot enter {closed[-1]}",
            hint=f"`chmod o+x {closed[-1]}` allows it, or keep them elsewhere",
        )
