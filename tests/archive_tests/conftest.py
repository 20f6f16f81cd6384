from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from contest.archive import files
from tests.support.archives import Mended, Published, knobeln_field, played, publish, small


@pytest.fixture(scope="session")
def knobeln_contest(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """Two rounds and more of KNOBELN in small groups, with failures, and an evolution."""
    path = tmp_path_factory.mktemp("knobeln")
    contest, strings = played(path / "contest", small(), knobeln_field())
    return publish(contest, path / "archive", strings)


@pytest.fixture
def mended(tmp_path: Path) -> Mended:
    """An archive with something changed in it, and a manifest that says nothing of it."""

    numbers = count(1)

    def change(archive: Path, do: Callable[[dict[str, bytes]], None]) -> Path:
        contents = files.read(archive)
        do(contents)
        folder = tmp_path / f"changed_{next(numbers)}"
        files.write(folder, contents)
        return folder

    return change
