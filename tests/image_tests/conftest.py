"""Fixtures: a sandbox, a static program, a cache, and images built and unpacked."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox.images.oci_image import OciImage
from sandbox.images.unpacking import unpack
from sandbox.sandbox import Sandbox
from tests.support.oci_images import archive, cache_folder, static_player


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return static_player(tmp_path_factory.mktemp("player"))


def _folder() -> Iterator[Path]:
    with cache_folder() as made:
        yield made


new_cache = pytest.fixture(_folder, name="new_cache")
cache = pytest.fixture(_folder, name="cache", scope="session")


@pytest.fixture
def unpacked(cache: Path, sandbox: Sandbox) -> Callable[[dict[str, bytes]], OciImage]:
    """Unpack archives, of files by their names."""
    return lambda files: unpack(archive(files), sandbox, cache)
