"""Makes the helpers in this folder importable, and the probe once per run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from machine_probe import Probe, built_probe


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Probe:
    return built_probe(tmp_path_factory.mktemp("probe"), tmp_path_factory.mktemp("cache"))
