"""Find files of the repository that the program needs at run time, and that are in no package of ours.

The wheel has them inside the package `contest`, at the same paths.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def shipped(path: str) -> Path:
    """Where "alembic", "docs/games", "docs/team" or "tools/system-packages" is."""
    installed = _PACKAGE / path
    return installed if installed.exists() else _PACKAGE.parent / path
