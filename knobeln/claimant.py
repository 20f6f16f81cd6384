"""The name under which this process claims work, and how other processes of this computer know its death."""

from __future__ import annotations

import secrets
from functools import cache
from pathlib import Path

from contest.store.claims import Claimant
from sandbox import leftovers


@cache
def this_process() -> Claimant:
    """The name has the boot of this computer, the process, and a number that is random."""
    return Claimant(f"{_boot()}/{leftovers.label()}-{secrets.randbelow(2**63)}", _is_gone)


def _is_gone(name: str) -> bool:
    """Whether it is a process of this computer that has ended; of other computers' we cannot know."""
    boot, _, label = name.partition("/")
    return boot == _boot() and leftovers.is_left_over(label)


@cache
def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
