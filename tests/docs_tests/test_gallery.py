"""The gallery shows all pictures that `tools/screenshots.py` makes, and the tool makes them."""

import importlib.util
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.servers import lacking

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
SHOWN = set(re.findall(r"\]\(images/([\w.-]+)\)", (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def screenshots() -> ModuleType:
    spec = importlib.util.spec_from_file_location("screenshots", ROOT / "tools" / "screenshots.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look for themselves there
    spec.loader.exec_module(module)
    return module


def is_whole(picture: bytes) -> bool:
    return picture.startswith(b"RIFF") and len(picture) > 2_000


def test_the_gallery_shows_every_picture() -> None:
    assert {path.name for path in IMAGES.iterdir()} == SHOWN


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_a_picture_is_small(screenshots: ModuleType, name: str) -> None:
    picture = (IMAGES / name).read_bytes()
    assert is_whole(picture)
    assert len(picture) <= screenshots.MAX_BYTES


@pytest.mark.slow
def test_the_pictures_can_be_made_again(screenshots: ModuleType, tmp_path: Path) -> None:
    if not (shutil.which("chromium") or shutil.which("chromium-browser")) or not shutil.which("chromedriver"):
        lacking("chromium")
    (tmp_path / "old.webp").write_bytes(b"of the last time")
    screenshots.main(tmp_path)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(made) == SHOWN
    assert [name for name, picture in made.items() if not is_whole(picture)] == []
    assert len(set(made.values())) == len(made)
