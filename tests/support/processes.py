"""Processes of this computer, by what the kernel tells of them."""

from __future__ import annotations

from pathlib import Path


def children_of(pid: int) -> set[int]:
    tasks = Path(f"/proc/{pid}/task")
    try:
        return {int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split()}
    except OSError:  # it ended while we looked
        return set()


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it ended while we looked
        return b""


def is_running(pid: int) -> bool:
    """Whether the process is there and not only waits to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
