"""The programs in C, built once per run."""

import pytest

from tests.support.machine_compare import Compare, built_compare
from tests.support.machine_probe import Probe, built_probe


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Probe:
    return built_probe(tmp_path_factory.mktemp("probe"), tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def compare(tmp_path_factory: pytest.TempPathFactory) -> Compare:
    return built_compare(tmp_path_factory.mktemp("compare"), tmp_path_factory.mktemp("cache"))
