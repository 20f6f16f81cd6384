"""The wheel of this checkout, and an installation of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.installed_wheel import ROOT, Pipx, build_wheel
from tests.support.servers import world_readable_folder


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def pipx(wheel: Path) -> Iterator[Pipx]:
    with world_readable_folder() as folder:
        (folder / "home").mkdir()
        installed = Pipx(folder)
        constraints = f"--pip-args=--constraint {ROOT / 'constraints.txt'}"
        installed.run("install", "--quiet", constraints, str(wheel))
        yield installed
