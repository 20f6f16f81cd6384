"""The files of the hog_contest folder, by our own writing: a strategy may import them, and they
count nothing.

A team's kit has this module, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

# Not the team's own hog.py: that is its project, which it copies from or sends, and which counts.
OURS = ("dice.py", "hog_contest/dice.py")
"""Files that are ours in any case: nobody may change them."""
_IF_NOT_SENT = ("hog.py", "hog_contest/__init__.py", "hog_contest/hog.py")


@cache
def _source() -> bytes:
    return Path(__file__).with_name("hog_contest.py").read_bytes()


def own_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files without those that are ours: what a team's strategy consists of."""
    return {name: data for name, data in files.items() if name not in OURS}


def with_course(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """A strategy's files, and those that it may import."""
    return {**dict.fromkeys(_IF_NOT_SENT, _source()), **files, **dict.fromkeys(OURS, _source())}
