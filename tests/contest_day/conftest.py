from __future__ import annotations

from collections.abc import Mapping

import pytest

from compiler.build import BuildResult
from tests.support.contest_field import compile_house


@pytest.fixture(scope="session")
def house() -> Mapping[str, BuildResult]:
    """The house strategies, compiled once."""
    return compile_house()
