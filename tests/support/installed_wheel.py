"""The wheel of this checkout, installed by pipx as users do."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


def build_wheel(source: Path, folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder)]
    subprocess.run([*pip, str(source)], check=True)
    (wheel,) = folder.glob("knobeln-*.whl")
    return wheel


@dataclass(frozen=True)
class Pipx:
    """An installation of pipx with a home of its own."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        own = {
            "HOME": self.folder / "home",
            "PIPX_HOME": self.folder / "pipx",
            "PIPX_BIN_DIR": self.folder / "bin",
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "XDG_"))}
        return kept | {name: str(path) for name, path in own.items()}

    def run(self, *words: str) -> None:
        command = [sys.executable, "-m", "pipx", *words]
        subprocess.run(command, check=True, cwd=self.folder, env=self.environment)

    def command(self, *words: object) -> list[str]:
        return [str(self.folder / "bin/knobeln"), *map(str, words)]

    def knobeln(self, *words: object) -> str:
        done = subprocess.run(
            self.command(*words), cwd=self.folder, env=self.environment, capture_output=True, text=True,
            check=False, timeout=240,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
