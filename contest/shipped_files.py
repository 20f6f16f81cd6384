"""Find files of the repository that the program needs at run time: migrations, rules, the team guide.

The wheel contains them in the package `contest`; in a checkout they are in their usual places.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_IN_CHECKOUT = {"migrations": "alembic", "rules": "docs/games", "team-guide.md": "docs/team-guide.md"}


def shipped(name: str) -> Path:
    """The path of "migrations", "rules" (folders) or "team-guide.md" (a file)."""
    installed = _PACKAGE / name
    return installed if installed.exists() else _PACKAGE.parent / _IN_CHECKOUT[name]
