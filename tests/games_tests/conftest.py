"""How the sample programs are started."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

INTERPRETERS = {".py": sys.executable, ".pl": "perl", ".sh": "sh", ".js": "node"}


@pytest.fixture(scope="session")
def command(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], list[str]]:
    """`command(program)`: the words that start it. A program in C is compiled, which must give no
    warning."""
    built = tmp_path_factory.mktemp("built")

    @cache
    def command(program: Path) -> list[str]:
        if program.suffix == ".c":
            binary = built / f"{program.parent.name}_{program.stem}"
            flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"]
            subprocess.run(["gcc", *flags, "-o", binary, program], check=True)
            return [str(binary)]
        if not shutil.which(INTERPRETERS[program.suffix]):
            pytest.skip(f"{INTERPRETERS[program.suffix]} is not installed")
        return [INTERPRETERS[program.suffix], str(program)]

    return command
