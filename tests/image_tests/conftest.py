"""Fixtures: a sandbox, a static program, a cache, and images built and unpacked."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from sandbox.images.unpacking import unpack
from sandbox.sandbox import Sandbox
from tests.support.oci_images import archive
from tests.support.servers import need_image_tools

FOLDER = Path(__file__).parent


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    return Sandbox()


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Compile player.c to a static program, which needs no other file."""
    need_image_tools()
    made = tmp_path_factory.mktemp("player") / "player"
    subprocess.run(["gcc", "-static", "-O1", "-w", "-s", "-o", made, FOLDER / "player.c"], check=True)
    return made.read_bytes()


def _folder():
    """Make a folder that the user of the sandboxes can enter; pytest's own folders are closed to it."""
    made = Path(tempfile.mkdtemp(dir="/var/tmp", prefix="knobeln-images-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


new_cache = pytest.fixture(_folder, name="new_cache")
cache = pytest.fixture(_folder, name="cache", scope="session")


@pytest.fixture
def unpacked(cache, sandbox):
    """Unpack archives, of files by their names."""
    return lambda files: unpack(archive(files), sandbox, cache)
