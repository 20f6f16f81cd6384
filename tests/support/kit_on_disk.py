"""The kit as a team has it: unpacked in a folder, and what its programs say."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from contest.games.knobeln import Rules
from knobellib.kit_archives import tar_archive
from knobellib.kits import FOLDER, knobeln_kit

PATIENCE = 300  # seconds, on a computer that does much else


@dataclass(frozen=True)
class Said:
    """What a program wrote, and its exit status."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Kit:
    """A kit in its folder."""

    path: Path

    def run(self, *command: str, typed: str = "", **variables: str) -> Said:
        """The command in this folder, with so much on its standard input."""
        environment = {**os.environ, "LC_ALL": "C", **variables}
        done = subprocess.run(
            command,
            cwd=self.path,
            input=typed,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    def make(self, *targets: str) -> None:
        done = self.run("make", "-s", *targets)
        assert done.status == 0, done.err

    def add(self, name: str, source: str) -> None:
        """A program of one's own, built."""
        (self.path / f"{name}.c").write_text(source)
        self.make(name)

    def play(self, *words: str) -> Said:
        """The referee with these options and programs."""
        return self.run("./knobeln", *words)


def unpacked(folder: Path, rules: Rules | None = None) -> Kit:
    """The kit out of its archive for tar, in an empty folder."""
    archive = folder / "kit.tar.gz"
    archive.write_bytes(tar_archive(knobeln_kit(rules or Rules())))
    subprocess.run(["tar", "-xzf", archive.name], cwd=folder, check=True)
    return Kit(folder / FOLDER)
