"""What a contest's folder stands on when the power goes, and disks that are full."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_MEGABYTES = 48


class Disk:
    """A file system of its own in a file, of which a copy has what was handed to the disk.

    What was written and not synced is still in the memory of the system, and is lost. Needs root.
    """

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True)
        self._image = path / "image"
        with self._image.open("wb") as file:
            file.truncate(_MEGABYTES << 20)
        subprocess.run(["mkfs.ext4", "-q", "-J", "size=4", self._image], check=True)

    @contextmanager
    def at(self, copy: Path | None = None) -> Iterator[Path]:
        """Where its contents are, or those of a copy."""
        with mounted(
            ["-o", "loop", str(copy or self._image)], (copy or self._image).with_suffix(".mnt")
        ) as at:
            yield at

    def cut(self, copy: Path) -> None:
        """Keep what would be there if the power went now. Whoever writes on it stands still."""
        subprocess.run(["cp", "--sparse=always", self._image, copy], check=True)


def may_mount() -> bool:
    return os.geteuid() == 0 and bool(shutil.which("mkfs.ext4"))


@contextmanager
def mounted(what: list[str], at: Path) -> Iterator[Path]:
    """Skips the test where this system does not let even root mount, as in most containers."""
    at.mkdir(exist_ok=True)
    done = subprocess.run(["mount", *what, at], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    try:
        yield at
    finally:
        _unmount(at)


def _unmount(at: Path) -> None:
    """A process that was killed may hold it for another moment."""
    for _ in range(100):
        if subprocess.run(["umount", at], capture_output=True, check=False).returncode == 0:
            return
        time.sleep(0.1)
    subprocess.run(["umount", "--lazy", at], check=True)
