from __future__ import annotations

import pytest

from bench.contest_field import compile_house
from compiler.build import Built


@pytest.fixture(scope="session")
def house() -> dict[str, Built]:
    """The house strategies, compiled once."""
    return compile_house()
