"""Fixtures: a sandbox, a static program, a cache, and images built and unpacked."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

from sandbox.oci.image import OciImage
from sandbox.oci.unpack import unpack
from sandbox.sandbox import Sandbox
from tests.support.oci_images import Made, archive, tar

FOLDER = Path(__file__).parent


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    return Sandbox()


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Compile player.c to a static program, which needs no other file."""
    made = tmp_path_factory.mktemp("player") / "player"
    subprocess.run(["gcc", "-static", "-O1", "-w", "-o", made, FOLDER / "player.c"], check=True)
    return made.read_bytes()


@pytest.fixture(scope="session")
def cache():
    """Make a folder that the user of the sandboxes can enter; pytest's own folders are closed to it."""
    made = Path(tempfile.mkdtemp(dir="/var/tmp", prefix="knobeln-images-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def make():
    """Build an image of these members, one list for each layer, with this configuration."""

    def make_one(*layers: list, **run: Any) -> Made:
        return Made([tar(layer) for layer in layers], run)

    return make_one


@pytest.fixture
def unpacked(cache):
    """Unpack archives; the test fails if one is refused."""

    def unpack_one(files: dict[str, bytes]) -> OciImage:
        image = unpack(archive(files), cache)
        assert isinstance(image, OciImage), image
        return image

    return unpack_one
