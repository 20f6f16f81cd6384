"""What a folder keeps of a contest, by which we know it when its settings or its database are lost.

A new contest in its place would have another seed, other keys and none of the letters: so nothing
may make one, and no hint may say so.
"""

from __future__ import annotations

from pathlib import Path

DATABASE = "contest.db"
DRAFT = ".restoring"
"""How the name of a database goes on while `restore` has made the new one, which has not replaced
it yet."""
REPLACED = "before-restore-"
"""What the names of folders begin with in which `restore` keeps what it replaces."""
UPGRADED = "before-upgrade-from-"
"""What the names of backups begin with that `upgrade` makes."""
_MARK = ".contest"


def mark(folder: Path) -> None:
    """Leave a file that says that a contest was made here."""
    (folder / _MARK).touch(mode=0o600)


def remains(folder: Path) -> tuple[str, ...]:
    """Return the names in this folder that only a contest leaves, without those of its settings and
    database."""
    patterns = (_MARK, DATABASE + DRAFT, f"{REPLACED}*", f"{UPGRADED}*")
    return tuple(sorted(path.name for pattern in patterns for path in folder.glob(pattern)))
