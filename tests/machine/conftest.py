"""Makes the helpers in this folder importable, and the programs in C once per run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from machine_compare import Compare, built_compare
from machine_probe import Probe, built_probe


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Probe:
    return built_probe(tmp_path_factory.mktemp("probe"), tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def compare(tmp_path_factory: pytest.TempPathFactory) -> Compare:
    return built_compare(tmp_path_factory.mktemp("compare"), tmp_path_factory.mktemp("cache"))
