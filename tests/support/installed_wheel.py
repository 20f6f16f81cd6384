"""The wheel of this checkout, installed by pipx as users do."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.servers import world_readable_folder

ROOT = Path(__file__).parents[2]
WHEEL = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"][
    "wheel"
]


def build_wheel(source: Path, folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder)]
    subprocess.run([*pip, str(source)], check=True)
    (wheel,) = folder.glob("knobeln-*.whl")
    return wheel


def with_version(version: str, folder: Path) -> Path:
    """A copy of the source with another version of the program."""
    for name in (*WHEEL["only-include"], "pyproject.toml", "README.md", "LICENSE"):
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    file = folder / "contest/__init__.py"
    file.write_text(re.sub(r'__version__ = ".*"', f'__version__ = "{version}"', file.read_text()))
    return folder


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
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "XDG_"))
        }
        return kept | {name: str(path) for name, path in own.items()}

    def run(self, *words: str) -> None:
        command = [sys.executable, "-m", "pipx", *words]
        subprocess.run(command, check=True, cwd=self.folder, env=self.environment)

    def install(self, wheel: Path) -> None:
        """With the versions of constraints.txt, and in place of another version."""
        constraints = f"--pip-args=--constraint {ROOT / 'constraints.txt'}"
        self.run("install", "--quiet", "--force", constraints, str(wheel))

    def command(self, *words: object) -> list[str]:
        return [str(self.folder / "bin/knobeln"), *map(str, words)]

    def knobeln(self, *words: object) -> str:
        done = subprocess.run(
            self.command(*words),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@contextmanager
def installed(wheel: Path) -> Iterator[Pipx]:
    """The wheel, installed where every user can start it."""
    with world_readable_folder() as folder:
        (folder / "home").mkdir()
        made = Pipx(folder)
        made.install(wheel)
        yield made
